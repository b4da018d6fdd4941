import Foundation

extension TextWaterfall {
    /// The cells of one row: each shows what most of its time was spent on.
    struct Bar: Sendable {
        /// The cells from the axis's origin; nil is empty.
        private(set) var cells: [Mark?]

        /// The marks that occur.
        var marks: Set<Mark> { Set(cells.compactMap { $0 }) }

        /// Draws a row.
        ///
        /// A cell is drawn when at least half of it belongs to the task; a task that fills no cell gets the one it
        /// starts in. Complexity: O(phases² + cells).
        init(_ row: Row, on axis: Axis) {
            cells = Array(repeating: nil, count: axis.cells)
            guard axis.cells > 0 else { return }
            var shares = [[Double]](
                repeating: Array(repeating: 0, count: Mark.allCases.count), count: axis.cells)
            for piece in Self.disjoint(row.stretches) {
                let from = axis.place(piece.start)
                let to = axis.place(piece.end)
                var cell = min(axis.cells - 1, Int(from))
                while cell < axis.cells, Double(cell) < to {
                    shares[cell][piece.mark.rawValue] += min(to, Double(cell + 1)) - max(from, Double(cell))
                    cell += 1
                }
            }
            for (cell, share) in shares.enumerated() where share.reduce(0, +) >= 0.5 - 1e-9 {
                cells[cell] = Self.largest(share)
            }
            let first = min(axis.cells - 1, Int(axis.place(row.start)))
            if !cells.contains(where: { $0 != nil }) {
                cells[first] = Self.largest(shares[first]) ?? row.stretches.first?.mark ?? .other
            }
            for start in row.hopStarts {
                let cell = min(axis.cells - 1, Int(axis.place(start)))
                if cell > first, cells[cell] != nil { cells[cell] = .hop }
            }
            if row.failure != nil, let last = cells.lastIndex(where: { $0 != nil }) { cells[last] = .failed }
        }

        /// The cells as text, without spaces at the end.
        func text(_ style: TextStyle) -> String {
            let end = (cells.lastIndex { $0 != nil } ?? -1) + 1
            var text = ""
            var position = 0
            while position < end {
                let mark = cells[position]
                var next = position
                while next < end, cells[next] == mark { next += 1 }
                let run = String(repeating: mark?.glyph(style) ?? " ", count: next - position)
                text += style.paint(run, mark?.paint)
                position = next
            }
            return text
        }

        private static func largest(_ share: [Double]) -> Mark? {
            guard let most = share.max(), most > 0, let index = share.firstIndex(of: most) else { return nil }
            return Mark(rawValue: index)
        }

        /// The stretches cut where they overlap, so that each moment belongs to the last one that holds it.
        private static func disjoint(_ stretches: [Row.Stretch]) -> [Row.Stretch] {
            let bounds = Set(stretches.flatMap { [$0.start, $0.end] }).sorted()
            return zip(bounds, bounds.dropFirst()).compactMap { lower, upper in
                stretches.last { $0.start <= lower && upper <= $0.end }
                    .map { Row.Stretch(start: lower, end: upper, mark: $0.mark) }
            }
        }
    }
}
