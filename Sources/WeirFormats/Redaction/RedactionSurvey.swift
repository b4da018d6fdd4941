import WeirEvidence
import WeirModel

/// What a recording tells of its words: which are its structure, and which are somebody's or something's name.
///
/// A word in a path is structure (`books` in `/books/17`), unless a body has it as the value of something that identifies
/// (`"login": "octocat"`), or it follows a word for people (`/users/ann`). Gathered before anything is rewritten, since what
/// says so may come last. It keeps hashes, of a bounded number.
struct RedactionSurvey: Sendable {
    private var words: Set<UInt64> = []
    private var values: Set<UInt64> = []
    /// Words that are names of people.
    private(set) var names: Set<UInt64> = []

    private static let mostWords = 1 << 16
    private static let mostValues = 1 << 18

    /// The words that stay.
    var structuralWords: Set<UInt64> { words.subtracting(values) }

    /// A hash of a token; with a seed of the process.
    static func hash(_ token: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: token)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Takes a request's URL.
    mutating func add(url: RequestURL) {
        var previous: Substring = ""
        for segment in url.path.split(separator: "/", maxSplits: 64) {
            if !Redactor.isPersonal(segment, after: previous) { addWords(of: segment) }
            previous = segment
        }
    }

    private mutating func addWords(of segment: Substring) {
        for word in segment.utf8.split(whereSeparator: { !ValuePseudonyms.isToken($0) }) {
            guard words.count < Self.mostWords, word.count <= 24 else { continue }
            let bytes = Array(word)
            bytes.withUnsafeBytes { bytes in
                // Letters alone, and no more of them at random than words have.
                if bytes.allSatisfy({ ($0 | 0x20) &- 0x61 < 26 }), ValueStrength(bytes) <= .word {
                    words.insert(Self.hash(bytes))
                }
            }
        }
    }

    /// Takes a body of JSON, one text or several.
    mutating func add(json: UnsafeRawBufferPointer) {
        var sink = NameSink(survey: self)
        self = RedactionSurvey()
        var scanner = JSONScalarScanner()
        scanner.push(json, into: &sink)
        scanner.finish(into: &sink)
        self = sink.survey
    }

    /// Takes the value of something.
    fileprivate mutating func add(_ value: UnsafeRawBufferPointer, _ key: KeyKind) {
        guard key != .other, value.count <= 64, !value.isEmpty, values.count < Self.mostValues else { return }
        for word in value.split(whereSeparator: { !ValuePseudonyms.isToken($0) }) {
            let hash = Self.hash(UnsafeRawBufferPointer(rebasing: word))
            values.insert(hash)
            if key == .person, names.count < Self.mostValues { names.insert(hash) }
        }
    }
}

/// What a key says of the words in its value.
private enum KeyKind {
    case other
    /// They identify something.
    case thing
    /// They identify somebody.
    case person

    private static let people: [[UInt8]] = [
        "login", "handle", "username", "nickname", "user", "owner", "author", "name", "firstname", "lastname",
        "surname",
        "givenname", "familyname", "fullname", "displayname", "screenname", "email", "mail", "phone", "address",
        "street",
        "city", "slug", "permalink",
    ].map { Array($0.utf8) }

    init(_ key: UnsafeRawBufferPointer) {
        let folded = key.prefix(64).filter { ($0 | 0x20) &- 0x61 < 26 }.map { $0 | 0x20 }
        if Self.people.contains(folded) {
            self = .person
        } else {
            self = KeyTraits(key).namesIdentity ? .thing : .other
        }
    }
}

/// Finds the words that identify in JSON.
private struct NameSink: JSONScalarSink {
    var survey: RedactionSurvey
    /// For each open object or array, the kind of the key whose value is read; arrays have that of their own key.
    private var kinds: [KeyKind] = []
    private var known: [UInt64: KeyKind] = [:]

    init(survey: RedactionSurvey) { self.survey = survey }

    mutating func beginObject() { kinds.append(.other) }
    mutating func beginArray() { kinds.append(kinds.last ?? .other) }
    mutating func endContainer() { _ = kinds.popLast() }

    mutating func key(_ bytes: UnsafeRawBufferPointer) {
        guard !kinds.isEmpty else { return }
        let hash = RedactionSurvey.hash(bytes)
        let kind: KeyKind
        if let found = known[hash] {
            kind = found
        } else {
            kind = KeyKind(bytes)
            if known.count < 4096 { known[hash] = kind }
        }
        kinds[kinds.count - 1] = kind
    }

    mutating func string(_ bytes: UnsafeRawBufferPointer) { survey.add(bytes, kinds.last ?? .other) }
    mutating func number(_ bytes: UnsafeRawBufferPointer) {}
    mutating func otherValue() {}
    mutating func endText() {}
}
