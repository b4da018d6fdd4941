/// Text broken at spaces into lines of a width; what would disturb a terminal is written out.
package struct WrappedText {
    /// The columns of a line.
    var width: Int
    var style: TextStyle

    package init(width: Int, style: TextStyle) {
        self.width = width
        self.style = style
    }

    /// The lines; a word that fits no line is shortened.
    ///
    /// - Parameters:
    ///   - first: What the first line begins with.
    ///   - rest: What all others begin with.
    package func lines(_ text: String, first: String, rest: String) -> [String] {
        if let lines = plainLines(text, first: first, rest: rest) { return lines }
        var lines: [String] = []
        var line = first
        var columns = first.count
        let indent = rest.count
        let room = max(1, width - indent)
        var isEmpty = true
        for word in Self.words(text) {
            let size: Int
            let shown: Substring
            // Most words are as they print: one column for each byte.
            if word.utf8.count <= room, word.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
                size = word.utf8.count
                shown = word
            } else {
                let printable = PrintableText.shortened(word, to: room, style: style)
                size = printable.width
                shown = printable.text[...]
            }
            if !isEmpty, columns + 1 + size > width {
                lines.append(line)
                line = rest
                columns = indent
                isEmpty = true
            }
            if !isEmpty { line += " " }
            line += shown
            columns += (isEmpty ? 0 : 1) + size
            isEmpty = false
        }
        return lines + [line]
    }

    /// What is between spaces.
    private static func words(_ text: String) -> [Substring] {
        // In ASCII each byte is a character, which need not be looked for.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.split(separator: " ") }
        return text.utf8.split(separator: 0x20).map { Substring($0) }
    }

    /// The same for text as most is: words of printable ASCII that fit, with one space between two; nil for all other.
    private func plainLines(_ text: String, first: String, rest: String) -> [String]? {
        var text = text
        let indent = rest.utf8.count
        let room = max(1, width - indent)
        let start = first.count
        return text.withUTF8 { bytes -> [String]? in
            guard let head = bytes.first, let tail = bytes.last, head != 0x20, tail != 0x20 else { return nil }
            var lines: [String] = []
            var prefix = first
            var columns = start
            // The words of the line that is being filled.
            var lineStart = 0
            var lineEnd = 0
            var wordStart = 0
            func finishLine() {
                lines.append(prefix + String(decoding: bytes[lineStart..<lineEnd], as: UTF8.self))
            }
            for i in 0...bytes.count {
                if i < bytes.count {
                    guard (0x20...0x7E).contains(bytes[i]) else { return nil }
                    if bytes[i] != 0x20 { continue }
                }
                let size = i - wordStart
                guard size > 0, size <= room else { return nil }
                if lineEnd > lineStart, columns + 1 + size > width {
                    finishLine()
                    prefix = rest
                    columns = indent
                    lineStart = wordStart
                    lineEnd = wordStart
                }
                columns += (lineEnd > lineStart ? 1 : 0) + size
                lineEnd = i
                wordStart = i + 1
            }
            finishLine()
            return lines
        }
    }
}
