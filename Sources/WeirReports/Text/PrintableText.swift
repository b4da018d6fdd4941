import Foundation

/// Text from a recording, made safe to print: what would move the cursor, hide, or reorder a line is written out.
///
/// Every scalar that stays takes one column, or two for East Asian wide characters and emoji, so that widths are exact.
/// Written out, as in Swift source (`\n`, `\u{1B}`), are: control and format characters (with them the bidirectional
/// overrides), line separators, private and unassigned code points, combining marks that have no composed form, and
/// letters of right-to-left scripts, because a terminal would reorder the columns around them.
package struct PrintableText: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// One character cell group: what is printed as a whole or not at all.
    private struct Piece: Sendable, Hashable {
        var text: String
        var width: Int
    }

    private let pieces: [Piece]
    /// The columns that the text takes.
    package let width: Int

    private init(pieces: [Piece]) {
        self.pieces = pieces
        width = pieces.reduce(0) { $0 + $1.width }
    }

    /// Makes a text safe.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - asciiOnly: Whether everything outside ASCII is written out, too.
    package init(_ text: some StringProtocol, asciiOnly: Bool = false) {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if isPlain {
            self.init(pieces: text.map { Piece(text: String($0), width: 1) })
        } else {
            let composed = String(text).precomposedStringWithCanonicalMapping
            self.init(pieces: composed.unicodeScalars.map { Self.piece($0, asciiOnly: asciiOnly) })
        }
    }

    /// Makes a text safe and leaves its middle out, so that it takes at most so many columns.
    ///
    /// Complexity: O(columns) in time and memory, however long the text is.
    package init(shortening text: Substring, to columns: Int, style: TextStyle) {
        let ellipsis = style.glyph("…", "~")
        let asciiOnly = style.glyphs == .ascii
        // Composition may make one column of up to four scalars.
        let kept = 4 * max(0, columns) + 4
        let scalars = text.unicodeScalars
        guard text.utf8.count > 2 * 4 * kept,
            let headEnd = scalars.index(scalars.startIndex, offsetBy: kept, limitedBy: scalars.endIndex),
            let tailStart = scalars.index(scalars.endIndex, offsetBy: -kept, limitedBy: headEnd)
        else {
            self = PrintableText(text, asciiOnly: asciiOnly).shortened(to: columns, ellipsis: ellipsis)
            return
        }
        let head = PrintableText(text[..<headEnd], asciiOnly: asciiOnly)
        let tail = PrintableText(text[tailStart...], asciiOnly: asciiOnly)
        self = PrintableText(pieces: head.pieces + [Piece(text: ellipsis, width: 1)] + tail.pieces)
            .shortened(to: columns, ellipsis: ellipsis)
    }

    /// A text made safe, with its middle left out, so that it takes at most so many columns; and how many it takes.
    ///
    /// The same as a text made so, without taking apart what is printable ASCII, as most is.
    package static func shortened(
        _ text: Substring, to columns: Int, style: TextStyle
    ) -> (text: String, width: Int) {
        let bytes = text.utf8
        guard columns > 0, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            let printable = PrintableText(shortening: text, to: columns, style: style)
            return (printable.description, printable.width)
        }
        if bytes.count <= columns { return (String(text), bytes.count) }
        let head = headWidth(of: columns - 1)
        let ellipsis = style.glyph("…", "~")
        let (start, end) = (bytes.prefix(head), bytes.suffix(columns - 1 - head))
        return (String(Substring(start)) + ellipsis + String(Substring(end)), columns)
    }

    /// How much of so many columns the start of a text gets when its middle is left out.
    private static func headWidth(of columns: Int) -> Int { columns * 2 / 5 }

    /// Makes a text of a literal.
    package init(stringLiteral value: String) { self.init(value) }

    package var description: String { pieces.map(\.text).joined() }

    /// The text with its middle left out, so that it takes at most so many columns.
    ///
    /// The end keeps more than the start, because paths differ at their ends.
    package func shortened(to columns: Int, ellipsis: String = "…") -> PrintableText {
        guard width > columns else { return self }
        guard columns > 0 else { return PrintableText(pieces: []) }
        let room = columns - 1
        let head = prefix(Self.headWidth(of: room))
        let tail = suffix(room - head.width)
        return PrintableText(pieces: head.pieces + [Piece(text: ellipsis, width: 1)] + tail.pieces)
    }

    /// The text cut at its end, so that it takes at most so many columns.
    package func truncated(to columns: Int, ellipsis: String = "…") -> PrintableText {
        guard width > columns else { return self }
        guard columns > 0 else { return PrintableText(pieces: []) }
        return PrintableText(pieces: prefix(columns - 1).pieces + [Piece(text: ellipsis, width: 1)])
    }

    /// The text followed by spaces up to a width.
    package func padded(to columns: Int) -> String {
        description + String(repeating: " ", count: max(0, columns - width))
    }

    /// Spaces up to a width, followed by the text.
    package func padded(from columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - width)) + description
    }

    private func prefix(_ columns: Int) -> PrintableText {
        var used = 0
        return PrintableText(
            pieces: Array(
                pieces.prefix { piece in
                    used += piece.width
                    return used <= columns
                }))
    }

    private func suffix(_ columns: Int) -> PrintableText {
        var used = 0
        return PrintableText(
            pieces: pieces.reversed().prefix { piece in
                used += piece.width
                return used <= columns
            }.reversed())
    }
}

extension PrintableText {
    private static func piece(_ scalar: Unicode.Scalar, asciiOnly: Bool) -> Piece {
        if scalar.isASCII ? (0x20...0x7E).contains(scalar.value) : (!asciiOnly && isPrintable(scalar)) {
            return Piece(text: String(scalar), width: isWide(scalar) ? 2 : 1)
        }
        let escape =
            switch scalar {
            case "\n": #"\n"#
            case "\r": #"\r"#
            case "\t": #"\t"#
            case "\0": #"\0"#
            default: #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        return Piece(text: escape, width: escape.utf8.count)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .nonspacingMark, .enclosingMark, .spacingMark: false
        // Fillers count as letters and print as nothing.
        default: !isRightToLeft(scalar) && ![0x115F, 0x1160, 0x3164, 0xFFA0].contains(scalar.value)
        }
    }

    /// The blocks whose default bidirectional class is R or AL (Unicode's DerivedBidiClass).
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
        default: false
        }
    }

    /// Whether a terminal gives the scalar two columns (East Asian Width W or F; emoji by default presentation).
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x1100: false
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1_6FE0...0x1_B2FF, 0x2_0000...0x3_FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}
