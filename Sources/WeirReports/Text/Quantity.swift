import Foundation

/// Numbers as a column of a report shows them: short, and never in another unit than they say.
package enum Quantity {
    /// Milliseconds: one decimal below 10, none below 100 000, then seconds.
    package static func milliseconds(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        if abs(value) < 9.95 { return fixed(value, 1) }
        return abs(value) < 99_999.5 ? fixed(value, 0) : "\(fixed(value / 1000, 0)) s"
    }

    /// A duration with its unit: milliseconds below 10 s, then seconds.
    package static func duration(milliseconds value: Double) -> String {
        abs(value) < 9_999.5 ? "\(milliseconds(value)) ms" : "\(fixed(value / 1000, 1)) s"
    }

    /// Bytes: exact below 100 000, then decimal kilobytes, megabytes, gigabytes.
    package static func bytes(_ value: Int64) -> String {
        let magnitude = value.magnitude
        if magnitude < 100_000 { return String(value) }
        var scaled = Double(value) / 1e3
        for unit in ["kB", "MB", "GB"] {
            if abs(scaled) < 999.5 || unit == "GB" { return "\(fixed(scaled, abs(scaled) < 9.95 ? 1 : 0)) \(unit)" }
            scaled /= 1e3
        }
        return String(value)
    }

    /// A number with so many decimals and a point, whatever the locale.
    package static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite else { return "?" }
        let text = String(format: "%.\(decimals)f", locale: nil, value)
        let isNegativeZero = text.utf8.first == UInt8(ascii: "-") && !text.utf8.contains { (0x31...0x39).contains($0) }
        return isNegativeZero ? String(text.dropFirst()) : text
    }

    /// A count and its noun: `1 request`, `9 requests`.
    package static func count(_ count: Int, _ noun: String, plural: String? = nil) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
    }
}
