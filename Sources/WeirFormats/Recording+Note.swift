extension Recording {
    /// Something that a reader tolerated, guessed or did not trust.
    public struct Note: Sendable, Hashable {
        /// What it was.
        public var kind: Kind
        /// How often.
        public var count: Int
        /// Where it was first, or nil when it concerns the whole file.
        public var place: Place?

        /// Makes a note.
        public init(_ kind: Kind, count: Int = 1, place: Place? = nil) {
            self.kind = kind
            self.count = count
            self.place = place
        }
    }
}

extension Recording.Note {
    /// What a note is about.
    public enum Kind: Sendable, Hashable {
        // The text.
        /// A UTF-8 byte order mark before the text.
        case byteOrderMark
        /// The JSON is the argument of a script call.
        case scriptCall
        /// Commas before closing brackets.
        case trailingComma
        /// Escapes that JSON does not have.
        case invalidEscape
        /// Control characters in strings, not escaped.
        case rawControlCharacter
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// Escaped halves of surrogate pairs.
        case loneSurrogate
        /// NaN or Infinity.
        case nonFiniteNumber

        // The shape of the file.
        /// The file is one entry, without a log around it.
        case singleEntry
        /// The log is a member of another object, of this name.
        case wrapped(String)
        /// Entries refer to pages that the file does not list.
        case unknownPage
        /// Several pages have the same id; they count as one.
        case duplicatePage
        /// An optional field is of another type than HAR gives it, and counts as unknown: its path.
        case wrongType(String)
        /// The file ends inside its entries; those that were complete are read.
        case truncated
        /// No entry says when it started, so nothing can be measured.
        case noTimes

        // The meaning of times, sizes and connections.
        /// The exporter writes times that cannot be used; the program's name.
        case unusableTimes(String)
        /// Times in which TLS comes after connect, rather than inside it.
        case tlsAfterConnect
        /// Entries whose `time` is not the sum of their timings.
        case elapsedMismatch
        /// Entries with a phase that ends before it starts; that phase is unknown.
        case impossiblePhase
        /// Body sizes that include the response's head, for want of its size.
        case sizeIncludesHead
        /// Compressed bodies of which only the decoded size was recorded.
        case encodedSizeUnknown
        /// Values of `connection` that do not tell connections apart.
        case connectionsNotTold
        /// Redirects of which it is not clear which entry followed them.
        case ambiguousRedirect
        /// Entries without a response.
        case noResponse
        /// Responses from a cache whose status was not recorded; they read as status 0.
        case unknownStatus
        /// Values in responses that were not kept to find dependencies, because of the limit.
        case evidenceCapped
    }

    /// Whether a reader of a report must know of it.
    public var isWarning: Bool {
        switch kind {
        case .noTimes, .unusableTimes, .impossiblePhase, .sizeIncludesHead, .encodedSizeUnknown, .ambiguousRedirect,
            .evidenceCapped, .wrongType, .unknownPage, .truncated:
            true
        default: false
        }
    }
}

extension Recording.Note: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        guard let place else { return text + "." }
        return count > 1 ? "\(text) (first at \(place))." : "\(text) (at \(place))."
    }

    private var text: String {
        switch kind {
        case .byteOrderMark: "The text starts with a byte order mark"
        case .scriptCall: "The JSON is wrapped in a script call"
        case .trailingComma: "\(many("trailing comma", "trailing commas")) tolerated"
        case .invalidEscape: "\(many("escape", "escapes")) that JSON does not have, tolerated"
        case .rawControlCharacter: "\(many("control character", "control characters")) in strings, tolerated"
        case .invalidUTF8: "\(many("string holds", "strings hold")) bytes that are not UTF-8, read as U+FFFD"
        case .loneSurrogate: "\(many("half", "halves")) of surrogate pairs, read as U+FFFD"
        case .nonFiniteNumber: "\(many("number is", "numbers are")) NaN or infinite and count as unknown"
        case .singleEntry: "The file is a single entry without a log around it"
        case .wrapped(let name): "The log is inside a member \"\(name)\""
        case .unknownPage: "\(many("entry refers", "entries refer")) to a page that the file does not list"
        case .duplicatePage: "\(many("page repeats", "pages repeat")) the id of another; they count as one"
        case .wrongType(let path): "\(path) is of the wrong type in \(many("entry", "entries")) and counts as unknown"
        case .truncated: "The file ends inside its entries, so what followed is missing"
        case .noTimes: "No entry says when it started, so nothing can be measured"
        case .unusableTimes(let name): "\(name) writes times that are not usable: nothing about timing can be said"
        case .tlsAfterConnect: "\(many("entry has", "entries have")) TLS after connect rather than inside it"
        case .elapsedMismatch: "\(many("entry has", "entries have")) a time that is not the sum of the timings"
        case .impossiblePhase: "\(many("entry has", "entries have")) a phase of negative length, taken as unknown"
        case .sizeIncludesHead: "\(many("body size includes", "body sizes include")) a response head of unknown size"
        case .encodedSizeUnknown: "\(many("compressed body has", "compressed bodies have")) only a decoded size"
        case .connectionsNotTold: "The connection fields hold ports or one value, and do not tell connections apart"
        case .ambiguousRedirect: "\(many("redirect", "redirects")) that several entries may have followed, kept apart"
        case .noResponse: "\(many("entry has", "entries have")) no response"
        case .evidenceCapped:
            "\(many("value", "values")) over the limit not looked for in later requests: dependencies may be missing"
        case .unknownStatus: "\(many("cached response has", "cached responses have")) no status and read as 0"
        }
    }

    private func many(_ one: String, _ several: String) -> String { "\(count) \(count == 1 ? one : several)" }
}

/// Collects notes: one for each kind, with a count and the first place.
struct NoteCollector {
    private(set) var notes: [Recording.Note] = []
    private var indices: [Recording.Note.Kind: Int] = [:]

    mutating func add(_ kind: Recording.Note.Kind, count: Int = 1, at place: Recording.Place? = nil) {
        guard count > 0 else { return }
        if let index = indices[kind] {
            notes[index].count += count
            // Pages are taken one after the other, so that a later call may tell of an earlier entry.
            if case .entry(let known) = notes[index].place, case .entry(let other) = place, other < known {
                notes[index].place = place
            }
        } else {
            indices[kind] = notes.count
            notes.append(Recording.Note(kind, count: count, place: place))
        }
    }

    /// Adds what a JSON parser tolerated.
    mutating func add(_ oddities: JSONOddities) {
        for kind in JSONOddities.Kind.allCases {
            guard let first = oddities.first(of: kind) else { continue }
            let note: Recording.Note.Kind =
                switch kind {
                case .byteOrderMark: .byteOrderMark
                case .scriptCall: .scriptCall
                case .trailingComma: .trailingComma
                case .invalidEscape: .invalidEscape
                case .rawControlCharacter: .rawControlCharacter
                case .invalidUTF8: .invalidUTF8
                case .loneSurrogate: .loneSurrogate
                case .nonFiniteNumber: .nonFiniteNumber
                }
            add(note, count: oddities.count(of: kind), at: .byte(first))
        }
    }
}
