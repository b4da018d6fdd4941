public import WeirAudit
import WeirModel

/// Findings as text: each with its sentence, evidence, best fix and saving, those that save most time first.
///
/// ```
/// ▲ #3 to #7 fetch one element each: 5 requests to /books/:id.
///     The values are the elements of $[*].bookID of #2.
///     → Fetch all elements in one request; saves 4 requests, 4 rounds, 244 ms (n-plus-one)
/// ```
public struct TextFindings: Sendable {
    /// What was found.
    public var findings: [Finding]
    /// The columns of a line.
    public var width: Int
    /// Colours and characters.
    public var style: TextStyle
    /// The most findings to show, or nil for all.
    public var limit: Int?

    /// Makes a list of findings.
    public init(_ findings: [Finding], width: Int = 80, style: TextStyle = .plain, limit: Int? = nil) {
        self.findings = findings
        self.width = width
        self.style = style
        self.limit = limit
    }

    /// The findings, each line ended by a newline and none wider than ``width``; empty when there are none.
    public var text: String {
        let shown = findings.prefix(max(0, limit ?? findings.count))
        var text = shown.map(block).joined()
        let rest = findings.count - shown.count
        if rest > 0 { text += rest == 1 ? "1 more finding\n" : "\(rest) more findings\n" }
        return text
    }

    private func block(_ finding: Finding) -> String {
        let sentence = finding.grade == .possible ? "Possibly: \(finding.sentence)" : finding.sentence
        var lines = wrapped(sentence, first: mark(finding) + " ", rest: "  ").map { style.paint($0, paint(finding)) }
        for evidence in finding.evidence.prefix(3) { lines += wrapped(evidence, first: "    ", rest: "    ") }
        for (index, fix) in finding.fixes.enumerated() where index == 0 || index == finding.predictedFix {
            let saves = index == finding.predictedFix ? "; saves \(finding.saving)" : ""
            let rule = index == 0 ? " (\(finding.rule.rawValue))" : ""
            let advice = (fix.hasSuffix(".") ? String(fix.dropLast()) : fix) + saves + rule
            lines += wrapped(advice, first: "    \(style.glyph("→", "->")) ", rest: "      ")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func mark(_ finding: Finding) -> String {
        switch finding.severity {
        case .critical: style.glyph("▲", "!")
        case .warning: style.glyph("△", "*")
        case .info: style.glyph("·", "-")
        }
    }

    private func paint(_ finding: Finding) -> TextStyle.Paint? {
        switch finding.severity {
        case .critical: .red
        case .warning: .yellow
        case .info: nil
        }
    }

    /// The text broken at spaces; a word that fits no line is shortened.
    ///
    /// What would disturb a terminal is written out.
    private func wrapped(_ text: String, first: String, rest: String) -> [String] {
        if let lines = wrappedPlain(text, first: first, rest: rest) { return lines }
        var lines: [String] = []
        var line = first
        var columns = first.count
        let indent = rest.count
        let room = max(1, width - indent)
        var isEmpty = true
        for word in text.split(separator: " ") {
            let size: Int
            let shown: Substring
            // Most words are as they print: one column for each byte.
            if word.utf8.count <= room, word.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
                size = word.utf8.count
                shown = word
            } else {
                let printable = PrintableText(shortening: word, to: room, style: style)
                size = printable.width
                shown = printable.description[...]
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

    /// The same for text as most is: words of printable ASCII that fit, with one space between two; nil for all other.
    private func wrappedPlain(_ text: String, first: String, rest: String) -> [String]? {
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
