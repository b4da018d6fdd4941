import Foundation

extension TextWaterfall {
    /// The columns of the table, chosen so that each line takes the width at hand and no more.
    struct Layout: Sendable {
        private enum Column: Sendable, Hashable {
            case path
            case number
            case method
            case target
            case status
            case bytes
            case duration
        }

        private let columns: [(column: Column, width: Int)]
        private let style: TextStyle
        private let width: Int
        /// The cells left for bars.
        let bar: Int

        init(_ rows: [Row], width: Int, style: TextStyle) {
            let width = max(1, width)
            self.style = style
            self.width = width
            func widest(_ column: Column, atLeast: Int, atMost: Int) -> Int {
                let widths = rows.map { Self.cell(column, $0, columns: atMost, style: style).width }
                return min(atMost, max(atLeast, widths.max() ?? 0))
            }
            var sizes: [Column: Int] = [
                .path: 1,
                .number: widest(.number, atLeast: 2, atMost: 7),
                .method: widest(.method, atLeast: 3, atMost: 7),
                .status: widest(.status, atLeast: 6, atMost: 8),
                .bytes: widest(.bytes, atLeast: 5, atMost: 7),
                .duration: widest(.duration, atLeast: 2, atMost: 7),
            ]
            // Narrow terminals lose columns rather than bars, and last of all the bars.
            var shown: [Column] = [.number, .method, .target, .status, .bytes, .duration]
            if rows.contains(where: \.isOnPath) { shown.insert(.path, at: 0) }
            func free() -> Int {
                width - shown.reduce(0) { $0 + ($1 == .target ? 0 : (sizes[$1] ?? 0) + 1) }
            }
            for column in [Column.bytes, .method, .number, .status, .duration, .path] where free() < 21 {
                shown.removeAll { $0 == column }
            }
            let wanted = widest(.target, atLeast: 7, atMost: max(7, free()))
            if width < 24 {
                shown = [.target]
                bar = 0
                sizes[.target] = width
            } else {
                let room = free() - 1
                bar = max(room * 11 / 20, room - wanted)
                sizes[.target] = max(1, room - bar)
            }
            columns = shown.map { ($0, sizes[$0] ?? 1) }
        }

        /// The line above the rows.
        func header(ruler: String) -> String {
            let names = columns.map { column, width in
                let name: PrintableText
                var fromLeft = false
                switch column {
                case .path: name = ""
                case .number: name = "#"
                case .method: (name, fromLeft) = ("", true)
                case .target: (name, fromLeft) = ("Request", true)
                case .status: name = "Status"
                case .bytes: name = "Bytes"
                case .duration: name = "ms"
                }
                let fitting = name.truncated(to: width, ellipsis: style.glyph("…", "~"))
                return fromLeft ? fitting.padded(to: width) : fitting.padded(from: width)
            }
            let line = (names + (ruler.isEmpty ? [] : [ruler])).joined(separator: " ")
            return style.paint(Self.trimmed(line), .dim)
        }

        /// One row.
        func line(_ row: Row, bar: String) -> String {
            let cells = columns.map { column, width in
                let text = Self.cell(column, row, columns: width, style: style)
                let padded = column == .method || column == .target ? text.padded(to: width) : text.padded(from: width)
                return style.paint(padded, paint(column, row))
            }
            return Self.trimmed((cells + (bar.isEmpty ? [] : [bar])).joined(separator: " "))
        }

        /// The line that counts what is not shown.
        func rest(of rows: [Row], after shown: Int) -> String {
            let left = rows.count - shown
            let end = (rows.map(\.end).max() ?? 0) - (rows.first?.start ?? 0)
            let text = "... \(left) more, the last of them done after \(Quantity.duration(milliseconds: end * 1000))"
            return style.paint(PrintableText(text).truncated(to: width, ellipsis: "~").description, .dim)
        }

        private func paint(_ column: Column, _ row: Row) -> TextStyle.Paint? {
            switch column {
            case .path: return .magenta
            case .number, .method, .bytes, .duration: return nil
            case .target: return row.failure != nil ? .red : nil
            case .status:
                switch row.status {
                case .failed: return .red
                case .cached: return .cyan
                case .open, .none: return .gray
                case .code(let code, let hops):
                    return code >= 500 ? .red : code >= 400 ? .yellow : hops > 0 || code >= 300 ? .cyan : nil
                }
            }
        }

        private static func cell(_ column: Column, _ row: Row, columns: Int, style: TextStyle) -> PrintableText {
            let text: String
            switch column {
            case .path: text = row.isOnPath ? style.glyph("◆", "*") : ""
            case .number: text = String(row.number)
            case .method: text = row.method
            case .target: text = row.target
            case .bytes: text = row.bytes.map(Quantity.bytes) ?? "-"
            case .duration: text = row.duration.map { Quantity.milliseconds($0 * 1000) } ?? "-"
            case .status:
                switch row.status {
                case .code(let code, 0): text = String(code)
                case .code(let code, let hops): text = "\(hops)\(style.glyph("›", ">"))\(code)"
                case .cached: text = "cache"
                case .failed: text = "failed"
                case .open: text = "open"
                case .none: text = "-"
                }
            }
            return PrintableText(shortening: text[...], to: columns, style: style)
        }

        private static func trimmed(_ line: String) -> String {
            guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
            return String(line[...last])
        }
    }
}
