/// How a report is written for a terminal: with colours or without, with block characters or in ASCII alone.
public struct TextStyle: Sendable, Hashable {
    /// The characters that bars and marks are drawn with.
    public enum Glyphs: Sendable, Hashable {
        /// Block and line characters of Unicode, each one column wide.
        case unicode
        /// Characters 0x20 to 0x7E.
        case ascii
    }

    /// Whether ANSI escape sequences (ECMA-48, SGR) are written.
    public var usesColor: Bool
    /// The characters to draw with.
    public var glyphs: Glyphs

    /// Makes a style.
    public init(usesColor: Bool, glyphs: Glyphs) {
        self.usesColor = usesColor
        self.glyphs = glyphs
    }

    /// Unicode without colours: for files, logs and `NO_COLOR`.
    public static let plain = TextStyle(usesColor: false, glyphs: .unicode)
    /// ASCII without colours: for whatever cannot show anything else.
    public static let ascii = TextStyle(usesColor: false, glyphs: .ascii)
    /// Unicode with colours: for terminals.
    public static let ansi = TextStyle(usesColor: true, glyphs: .unicode)
}

extension TextStyle {
    /// The style that suits a terminal or a file, by the environment's conventions.
    ///
    /// Colours need a terminal that is not `dumb` and an environment without a non-empty `NO_COLOR`. ASCII is used
    /// when the locale (`LC_ALL`, else `LC_CTYPE`, else `LANG`) is set and does not name UTF-8.
    public init(isTerminal: Bool, environment: [String: String]) {
        let isColorRefused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        usesColor = isTerminal && !isColorRefused && environment["TERM"] != "dumb"
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let charset = locale?.lowercased() ?? "utf-8"
        glyphs = charset.contains("utf-8") || charset.contains("utf8") ? .unicode : .ascii
    }

    /// A colour or weight of the terminal's own palette, so that it suits dark and light backgrounds.
    package enum Paint: Int, Sendable {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
        case gray = 90
    }

    /// The text in a colour, or as it is when there are no colours or nothing to paint.
    package func paint(_ text: String, _ paint: Paint?) -> String {
        guard usesColor, let paint, !text.isEmpty else { return text }
        return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
    }

    /// The character of this style.
    package func glyph(_ unicode: String, _ ascii: String) -> String {
        glyphs == .unicode ? unicode : ascii
    }
}
