/// What the name of a value says of it: whether it identifies something, and what.
///
/// Names are read as words: `bookID`, `book_id`, `book-ids` and `BookId` are all `book id`.
package struct KeyTraits: Sendable, Hashable {
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It ends in a word for an identifier: `id`, `uuid`, `key`, `code`, `number`.
        static let identifies = Flags(rawValue: 1)
        /// Its value identifies even when it is a mere word: `slug`, `login`, `handle`.
        static let identifiesByWord = Flags(rawValue: 2)
        /// It is a reference: `url`, `href`, `link`, `path`.
        static let refers = Flags(rawValue: 4)
        /// It names the next part of a list: `next`, `cursor`, `pageToken`, `after`.
        static let isCursor = Flags(rawValue: 8)
        /// It counts or measures a part of a list: `page`, `offset`, `limit`.
        static let isOffset = Flags(rawValue: 16)
        /// It is a credential: `token`, `session`, `csrf`.
        static let isCredential = Flags(rawValue: 32)
    }

    package var flags: Flags = []
    /// A hash of the thing that it is about, its last word apart from those for identifiers, in the singular; 0 if none.
    package var noun: UInt32 = 0
    /// A hash of all its words; 0 if none.
    package var name: UInt32 = 0

    package init() {}

    /// Whether the name says that its value identifies or authenticates.
    package var namesIdentity: Bool { !flags.isDisjoint(with: [.identifies, .identifiesByWord, .isCredential]) }

    /// Reads a name; only its first 64 bytes count.
    package init(_ key: UnsafeRawBufferPointer) {
        let words = Self.words(key)
        guard let last = words.last else { return }
        name = Self.hash(of: words)
        let kinds = words.map { KeyWord.Kinds(of: $0) }
        let any = kinds.reduce(KeyWord.Kinds()) { $0.union($1) }
        let lastKinds = kinds[kinds.count - 1]
        if !lastKinds.isDisjoint(with: [.identifier, .wordIdentifier]) { flags.insert(.identifies) }
        if lastKinds.contains(.wordIdentifier) || last.elementsEqual("id".utf8) { flags.insert(.identifiesByWord) }
        if lastKinds.contains(.reference) { flags.insert(.refers) }
        if any.contains(.credential) { flags.insert(.isCredential) }
        if any.contains(.cursor) || Self.isNextPart(words, last, lastKinds) { flags.insert(.isCursor) }
        if any.contains(.offset), !flags.contains(.isCursor) { flags.insert(.isOffset) }
        // A cursor is about the list that it is in, which its own name does not say.
        if flags.contains(.isCursor) { return }
        let thing = words.indices.last { index in
            kinds[index].isDisjoint(with: .notThings) && !words[index].allSatisfy(ASCII.isDigit)
        }
        if let thing { noun = Self.hash(words[thing]) }
    }

    init(_ key: some Collection<UInt8>) {
        self = Array(key).withUnsafeBytes { KeyTraits($0) }
    }

    /// Reads a name as ``init(_:)-(UnsafeRawBufferPointer)`` does; names come again and again, and are not read again.
    static func of(_ key: UnsafeRawBufferPointer) -> KeyTraits { known.traits(of: key.prefixed(64)) }

    private static let known = KnownKeys()

    // MARK: Words

    /// The words of a name, in lower case and in the singular.
    static func words(_ key: UnsafeRawBufferPointer) -> [[UInt8]] {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        func end() {
            if !word.isEmpty { words.append(singular(word)) }
            word = []
        }
        let bytes = key.prefixed(64)
        for i in bytes.indices {
            let byte = bytes[i]
            guard ASCII.isAlphanumeric(byte) || byte >= 0x80 else {
                end()
                continue
            }
            if ASCII.isUpper(byte), i > 0 {
                let isAfterLower = ASCII.isLower(bytes[i - 1]) || ASCII.isDigit(bytes[i - 1])
                // The last capital of a run begins a word, `URLPath`, unless only a plural follows it, `IDs`.
                let isLastOfRun =
                    i + 1 < bytes.count && ASCII.isLower(bytes[i + 1]) && ASCII.isUpper(bytes[i - 1])
                    && !(bytes[i + 1] == UInt8(ascii: "s")
                        && (i + 2 == bytes.count || !ASCII.isLower(bytes[i + 2])))
                if isAfterLower || isLastOfRun { end() }
            }
            word.append(ASCII.lowercased(byte))
        }
        end()
        return words
    }

    private static func singular(_ word: [UInt8]) -> [UInt8] {
        let count = word.count
        guard count > 2, word[count - 1] == UInt8(ascii: "s") else { return word }
        if count > 4, word[count - 2] == UInt8(ascii: "e"), word[count - 3] == UInt8(ascii: "i") {
            return word.dropLast(3) + [UInt8(ascii: "y")]  // categories
        }
        switch word[count - 2] {
        case UInt8(ascii: "s"), UInt8(ascii: "u"), UInt8(ascii: "i"): return word  // address, status, analysis
        case UInt8(ascii: "e") where count > 4:
            let before = word[count - 3]
            let isSibilant =
                before == UInt8(ascii: "x") || before == UInt8(ascii: "s") && word[count - 4] == UInt8(ascii: "s")
                || before == UInt8(ascii: "h") && (word[count - 4] == 0x63 || word[count - 4] == 0x73)
            return Array(word.dropLast(isSibilant ? 2 : 1))  // boxes, addresses, branches; pages, houses
        default: return Array(word.dropLast())
        }
    }

    /// Whether the words name the next part of a list, though none of them does so by itself.
    private static func isNextPart(_ words: [[UInt8]], _ last: [UInt8], _ lastKinds: KeyWord.Kinds) -> Bool {
        // next, nextPage, nextLink, nextToken, pageToken, starting_after, endCursor
        let isNext = words.contains { $0.elementsEqual("next".utf8) }
        let isPage = words.contains { $0.elementsEqual("page".utf8) }
        let isToken = last.elementsEqual("token".utf8)
        return isNext && (words.count == 1 || isPage || isToken || lastKinds.contains(.reference))
            || isPage && isToken || last.elementsEqual("after".utf8)
    }

    private static func hash(_ word: [UInt8]) -> UInt32 {
        max(1, word.reduce(hashStart, hash))
    }

    /// The hash of words with a blank between each two.
    private static func hash(of words: [[UInt8]]) -> UInt32 {
        var result = hashStart
        for (index, word) in words.enumerated() {
            if index > 0 { result = hash(result, 0x20) }
            result = word.reduce(result, hash)
        }
        return max(1, result)
    }

    private static let hashStart: UInt32 = 2_166_136_261

    private static func hash(_ hash: UInt32, _ byte: UInt8) -> UInt32 { (hash ^ UInt32(byte)) &* 16_777_619 }
}
