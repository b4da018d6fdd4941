/// The arguments of a command line, told apart by their form only: what they mean is for a table to say.
struct SplitArguments: Sendable, Hashable {
    /// Where something was written.
    struct Origin: Sendable, Hashable {
        /// The place among the arguments, from 1; the program's name is not counted.
        var index: Int
        /// The whole argument, as written.
        var text: String
    }

    /// One thing on the command line.
    enum Element: Sendable, Hashable {
        /// `--name` or `--name=value`.
        case long(String, value: String?, Origin)
        /// One letter of `-abc`.
        case short(Character, Origin)
        /// A value, or `-` alone.
        case value(String, Origin)
        /// Everything after `--`, each a value whatever it begins with.
        case literal(String, Origin)

        var origin: Origin {
            switch self {
            case .long(_, _, let origin), .short(_, let origin), .value(_, let origin), .literal(_, let origin): origin
            }
        }
    }

    var elements: [Element]

    /// Splits arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - first: The index of the first of them.
    init(_ arguments: [String], first: Int = 1) {
        elements = []
        var isLiteral = false
        for (offset, text) in arguments.enumerated() {
            let origin = Origin(index: first + offset, text: text)
            if isLiteral {
                elements.append(.literal(text, origin))
            } else if text == "--" {
                isLiteral = true
            } else if text.utf8.starts(with: "--".utf8) {
                let body = text.utf8.dropFirst(2)
                let sign = body.firstIndex(of: UInt8(ascii: "="))
                let name = String(Substring(body[..<(sign ?? body.endIndex)]))
                let value = sign.map { String(Substring(body[body.index(after: $0)...])) }
                elements.append(.long(name, value: value, origin))
            } else if text.utf8.first == UInt8(ascii: "-"), text.utf8.count > 1 {
                for letter in text.dropFirst() { elements.append(.short(letter, origin)) }
            } else {
                elements.append(.value(text, origin))
            }
        }
    }
}
