import Foundation

/// Text from a recording, made safe for HTML (the content of elements and quoted attributes).
package enum HTMLText {
    /// The longest text that a page shows of one value, in characters.
    package static let limit = 2_000

    /// The text with what HTML would act on as references, and what would hide or reorder text written out.
    ///
    /// Written out as in Swift source (`\u{202E}`) are controls, format characters (bidirectional overrides, zero-width
    /// ones), line separators, private and unassigned code points. Complexity: O(limit), however long the text is.
    package static func escaped(_ text: some StringProtocol, limit: Int = limit) -> String {
        var result = ""
        for scalar in visible(text, limit: limit).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "`": result += "&#96;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A sentence of a rule, escaped, with what stands between backquotes as code.
    static func prose(_ text: some StringProtocol, limit: Int = limit) -> String {
        let parts = escaped(text, limit: limit).components(separatedBy: "&#96;")
        guard parts.count % 2 == 1 else { return parts.joined(separator: "`") }
        return parts.enumerated().map { $0.offset % 2 == 1 ? "<code>\($0.element)</code>" : $0.element }.joined()
    }

    /// The text with its middle left out when it is longer than a limit, and with what cannot be seen written out.
    static func visible(_ text: some StringProtocol, limit: Int = limit) -> String {
        let scalars = text.unicodeScalars
        let half = max(1, limit / 2)
        var result = ""
        guard text.utf8.count > limit,
            let headEnd = scalars.index(scalars.startIndex, offsetBy: half, limitedBy: scalars.endIndex),
            let tailStart = scalars.index(scalars.endIndex, offsetBy: -half, limitedBy: headEnd), headEnd < tailStart
        else {
            for scalar in scalars { append(scalar, to: &result) }
            return result
        }
        for scalar in scalars[..<headEnd] { append(scalar, to: &result) }
        result += "…"
        for scalar in scalars[tailStart...] { append(scalar, to: &result) }
        return result
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        if isVisible(scalar) {
            text.unicodeScalars.append(scalar)
        } else {
            text += #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return ![0x115F, 0x1160, 0x3164, 0xFFA0].contains(scalar.value)
        }
    }
}
