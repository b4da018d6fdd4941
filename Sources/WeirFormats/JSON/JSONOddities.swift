/// What a parser tolerated: deviations from RFC 8259 that real exporters write.
package struct JSONOddities: Sendable, Hashable {
    /// A kind of deviation.
    package enum Kind: Int, CaseIterable, Sendable {
        /// A UTF-8 byte order mark before the text.
        case byteOrderMark
        /// The value is the argument of a script call, `name({...});`.
        case scriptCall
        /// A comma before a closing bracket or brace.
        case trailingComma
        /// A backslash before a character that JSON gives no meaning to, such as `\v` or `\O`.
        case invalidEscape
        /// A control character inside a string, not escaped.
        case rawControlCharacter
        /// Bytes that are not UTF-8; each ill-formed part reads as U+FFFD.
        case invalidUTF8
        /// An escaped half of a surrogate pair; it reads as U+FFFD.
        case loneSurrogate
        /// `NaN`, `Infinity` or `-Infinity`; it reads as null.
        case nonFiniteNumber
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)
    private var firsts = [Int](repeating: 0, count: Kind.allCases.count)

    package init() {}

    package mutating func note(_ kind: Kind, at offset: Int) {
        if counts[kind.rawValue] == 0 { firsts[kind.rawValue] = offset }
        counts[kind.rawValue] += 1
    }

    /// Adds what was tolerated in a part of the text.
    ///
    /// - Parameter place: The place in the whole text of a byte of the part.
    package mutating func add(_ part: JSONOddities, place: (Int) -> Int) {
        for kind in Kind.allCases {
            guard let first = part.first(of: kind) else { continue }
            let offset = place(first)
            firsts[kind.rawValue] = counts[kind.rawValue] == 0 ? offset : min(firsts[kind.rawValue], offset)
            counts[kind.rawValue] += part.counts[kind.rawValue]
        }
    }

    /// How often a kind was seen.
    package func count(of kind: Kind) -> Int { counts[kind.rawValue] }

    /// The byte at which a kind was first seen, or nil.
    package func first(of kind: Kind) -> Int? { counts[kind.rawValue] > 0 ? firsts[kind.rawValue] : nil }

    /// Whether nothing was tolerated.
    package var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }
}
