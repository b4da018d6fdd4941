import WeirModel

/// A word of a value's name.
enum KeyWord {
    /// What a word says of a value that has it in its name.
    struct Kinds: OptionSet, Sendable {
        let rawValue: UInt8

        /// It ends the name of an identifier.
        static let identifier = Kinds(rawValue: 1)
        /// The same, of one that may be a mere word.
        static let wordIdentifier = Kinds(rawValue: 2)
        /// It is a reference.
        static let reference = Kinds(rawValue: 4)
        /// It names the next part of a list.
        static let cursor = Kinds(rawValue: 8)
        /// It counts or measures a part of a list.
        static let offset = Kinds(rawValue: 16)
        /// It is a credential.
        static let credential = Kinds(rawValue: 32)
        /// It is for what holds things, rather than for the things.
        static let container = Kinds(rawValue: 64)

        /// All that is not the name of a thing.
        static let notThings: Kinds = [.identifier, .wordIdentifier, .reference, .container]

        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Looks a word up.
        ///
        /// - Parameter word: In lower case and in the singular.
        init(of word: [UInt8]) {
            self = word.withUnsafeBytes { KeyWord.table.number(of: $0) }.map { KeyWord.kinds[$0] } ?? []
        }
    }

    private static let table = NameTable(names)
    private static let names = known.keys.sorted()
    private static let kinds = names.map { known[$0] ?? [] }

    private static let known: [String: Kinds] = {
        var known: [String: Kinds] = [:]
        for (kind, words) in lists {
            for word in words.split(separator: " ") { known[String(word), default: []].insert(kind) }
        }
        return known
    }()

    private static let lists: [(Kinds, String)] = [
        (
            .identifier,
            "id uuid guid uid key code number no num ref reference identifier pk sku isbn ean gtin "
                + "oid rid pid hash sha digest"
        ),
        (.wordIdentifier, "slug login handle username nickname permalink"),
        (.reference, "url uri href link path src location endpoint"),
        (.cursor, "cursor continuation continue scroll marker"),
        (
            .offset,
            "page offset limit skip start from size count per top first last take rows index max "
                + "length total results pagesize perpage"
        ),
        (
            .credential,
            "token jwt csrf xsrf auth authorization authenticity session sid sess secret nonce bearer "
                + "ticket assertion"
        ),
        (
            .container,
            "data item result list edge node content record entry value payload response object row "
                + "hit embedded attribute element next self page cursor token all index api rest v1 v2 v3 "
                + "get"
        ),
    ]
}
