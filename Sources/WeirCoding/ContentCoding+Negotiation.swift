extension ContentCoding {
    /// Chooses the coding of an answer by the request's Accept-Encoding (RFC 9110, section 12.5.3); nil is no coding.
    ///
    /// The coding with the highest weight wins; among equals, the first one offered. `*` stands for what is not listed. A coding
    /// with weight zero, or one that is not listed, is not used. No coding at all is always possible, but is preferred only when
    /// `identity` is listed with a higher weight than any offered coding. When nothing offered is acceptable the result is nil, also
    /// when `identity` is refused: a server should then answer without coding (RFC 9110) or may refuse with 415.
    /// An element with a malformed weight is passed over. Without the field, nil: the client did not say that it can decode.
    package static func negotiate(acceptEncoding: String?, offering: [ContentCoding]) -> ContentCoding? {
        guard let acceptEncoding else { return nil }
        var listed: [ContentCoding: Int] = [:]
        var wildcard: Int?
        var identity: Int?
        for element in HeaderList.elements(acceptEncoding) {
            guard let weight = element.weight else { continue }
            switch element.token {
            case "*": wildcard = wildcard ?? weight
            case "identity": identity = identity ?? weight
            default:
                guard let coding = ContentCoding(token: element.token), listed[coding] == nil else { continue }
                listed[coding] = weight
            }
        }
        var best: (coding: ContentCoding, weight: Int)?
        for coding in offering {
            let weight = listed[coding] ?? wildcard ?? 0
            if weight > best?.weight ?? 0 { best = (coding, weight) }
        }
        guard let best, best.weight >= identity ?? 0 else { return nil }
        return best.coding
    }

    /// The most codings that a chain may have, as in curl.
    private static let longestChain = 5

    /// Reads a Content-Encoding value: the codings in the order in which they were applied (RFC 9110, section 8.4).
    ///
    /// `identity` and empty elements are passed over. Nil when a coding is unknown, or when there are more than five.
    package static func chain(header: String) -> [ContentCoding]? {
        var chain: [ContentCoding] = []
        for element in HeaderList.elements(header) where element.token != "identity" {
            guard !element.hasParameters, let coding = ContentCoding(token: element.token) else { return nil }
            guard chain.count < longestChain else { return nil }
            chain.append(coding)
        }
        return chain
    }
}

/// The elements of a comma-separated field value.
enum HeaderList {
    struct Element {
        /// In lower case.
        var token: String
        /// Thousandths, 0 to 1000; 1000 when none is given, nil when it is malformed (RFC 9110, section 12.4.2).
        var weight: Int?
        var hasParameters: Bool
    }

    static func elements(_ value: String) -> [Element] {
        value.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
            let pieces = part.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(trimmed)
            guard let token = pieces.first, !token.isEmpty || pieces.count > 1 else { return nil }
            var weight: Int? = 1000
            for parameter in pieces.dropFirst() {
                let sides = parameter.split(
                    separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                if let name = sides.first.map(trimmed), name.elementsEqual("q".utf8) || name.elementsEqual("Q".utf8) {
                    weight = sides.count == 2 ? thousandths(trimmed(sides[1])) : nil
                }
            }
            return Element(
                token: ContentCoding.lowercased(token), weight: weight, hasParameters: pieces.count > 1)
        }
    }

    /// A weight in thousandths.
    ///
    /// `qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )`
    private static func thousandths(_ text: Substring.UTF8View) -> Int? {
        var digits = text.makeIterator()
        guard let first = digits.next(), first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else { return nil }
        var value = first == UInt8(ascii: "1") ? 1000 : 0
        guard let dot = digits.next() else { return value }
        guard dot == UInt8(ascii: ".") else { return nil }
        var scale = 100
        while let digit = digits.next() {
            guard scale > 0, (0x30...0x39).contains(digit) else { return nil }
            value += Int(digit - UInt8(ascii: "0")) * scale
            scale /= 10
        }
        return value <= 1000 ? value : nil
    }

    /// Without the spaces and tabs around it.
    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var text = text
        while let first = text.first, isSpace(first) { text.removeFirst() }
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
