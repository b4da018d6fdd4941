import Foundation

extension TextWaterfall {
    /// The common time axis: which time falls into which cell.
    struct Axis: Sendable {
        /// Seconds since the reference date.
        var origin: TimeInterval
        var end: TimeInterval
        var cells: Int

        /// The time that one cell stands for, in seconds; infinite when there is no extent to divide.
        var cell: TimeInterval {
            let span = end - origin
            return span > 0 && cells > 0 ? span / Double(cells) : .infinity
        }

        /// The place of a time, in cells from the origin, within the axis.
        func place(_ time: TimeInterval) -> Double {
            let place = (time - origin) / cell
            return place.isFinite ? min(max(0, place), Double(cells)) : 0
        }

        /// Whole milliseconds (seconds from 10 s on) at even steps of 1, 2 or 5, as wide as the axis.
        func ruler(style: TextStyle) -> String {
            guard cells > 0 else { return "" }
            let span = end - origin
            let inSeconds = span >= 10
            let unit = inSeconds ? "s" : "ms"
            let total = inSeconds ? span : span * 1000
            let tick = style.glyph("│", "|")
            var text = "\(tick)0 \(unit)"
            var columns = 3 + unit.utf8.count
            if columns > cells { return String(repeating: " ", count: cells) }
            if total > 0, total.isFinite {
                let perCell = total / Double(cells)
                let step = Self.step(atLeast: perCell * 9)
                var value = step
                while value <= total {
                    let label = Quantity.fixed(value, step < 1 ? Self.decimals(step) : 0)
                    let column = Int(min(Double(cells), value / perCell))
                    guard column + 1 + label.utf8.count <= cells else { break }
                    if column > columns {
                        text += String(repeating: " ", count: column - columns) + tick + label
                        columns = column + 1 + label.utf8.count
                    }
                    value += step
                }
            }
            return text + String(repeating: " ", count: cells - columns)
        }

        /// The smallest of 1, 2, 5 times a power of ten that is not below a value.
        private static func step(atLeast value: Double) -> Double {
            let power = pow(10, floor(log10(value)))
            guard power.isFinite, power > 0 else { return .infinity }
            for factor in [1.0, 2, 5] where factor * power >= value { return factor * power }
            return 10 * power
        }

        private static func decimals(_ step: Double) -> Int {
            min(9, max(0, Int((-log10(step)).rounded(.up))))
        }
    }
}
