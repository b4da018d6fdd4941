import Foundation

/// The line that a terminal shows while much is read, and that is gone at the end.
struct ProgressLine {
    /// How long nothing is shown, and how long a line stays as it is, in seconds.
    private static let patience = 1.0
    private static let interval = 0.2

    /// How many bytes there will be; nil when nobody says.
    var total: Int?
    private let start: Double
    private var shownAt: Double?
    private var isShown = false

    /// - Parameter start: When reading began, in the seconds of a clock that only goes forward.
    init(start: Double) { self.start = start }

    /// What to write for a line that is due, or nil.
    mutating func update(_ bytes: Int, now: Double, width: Int) -> String? {
        guard now - start >= Self.patience, shownAt.map({ now - $0 >= Self.interval }) ?? true else { return nil }
        shownAt = now
        isShown = true
        // The last column is left free: in it, terminals begin another line.
        return "\r" + text(bytes, now - start).prefix(max(width - 1, 0)) + "\u{1B}[K"
    }

    /// What to write so that no line is there; nil when none is.
    mutating func clear() -> String? {
        guard isShown else { return nil }
        isShown = false
        return "\r\u{1B}[K"
    }

    private func text(_ bytes: Int, _ seconds: Double) -> String {
        let rate = StreamClock.text(Double(bytes) / max(seconds, 1e-9))
        guard let total, total > 0 else { return "\(Self.size(bytes)), \(rate)" }
        let percent = min(Int((Double(bytes) / Double(total) * 100).rounded(.down)), 100)
        return "\(Self.size(bytes)) of \(Self.size(total)) (\(percent) %), \(rate)"
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case 1_000_000_000...: String(format: "%.2f GB", Double(bytes) / 1e9)
        case 1_000_000...: String(format: "%.1f MB", Double(bytes) / 1e6)
        default: String(format: "%.1f kB", Double(bytes) / 1e3)
        }
    }
}
