/// Text made safe for XML 1.0: the content of elements and quoted attributes.
enum XMLText {
    /// The text with markup as references, and with what XML cannot hold written out as in Swift source.
    ///
    /// XML 1.0, section 2.2, allows no controls but tab, line feed and carriage return, not even as references, and none
    /// of U+FFFE and U+FFFF. In attributes white space is a reference, so that it survives.
    static func escaped(_ text: some StringProtocol, isContent: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            case "\n" where isContent: result += "\n"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case _ where isAllowed(scalar): result.unicodeScalars.append(scalar)
            default: result += #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
        return result
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        // C1 controls are allowed and discouraged.
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD: scalar.value & 0xFFFE != 0xFFFE
        case 0x1_0000...0x10_FFFF: scalar.value & 0xFFFE != 0xFFFE
        default: false
        }
    }
}
