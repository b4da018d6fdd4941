import WeirModel

/// Counts what costs the server more than the client, and says when it is too much.
///
/// Each kind has an allowance, which fills up again within ten seconds, and which what the server does for the client adds to
/// where it calls for such frames.
struct HTTP2FloodGuard {
    enum Kind: Int, CaseIterable {
        case ping, settings, priority, empty, unknown, reset, windowUpdate

        var name: String {
            switch self {
            case .ping: "PING"
            case .settings: "SETTINGS"
            case .priority: "PRIORITY"
            case .empty: "empty"
            case .unknown: "unknown"
            case .reset: "RST_STREAM"
            case .windowUpdate: "WINDOW_UPDATE"
            }
        }
    }

    private static var refillTime: Int64 { 10_000_000_000 }

    private let limit: Int64
    private var left: [Int64]
    private var filled: Moment

    init(limit: Int, now: Moment) {
        // No more than nanoseconds times it can be told in 64 bits.
        self.limit = Int64(min(max(1, limit), 100_000_000))
        left = Array(repeating: self.limit, count: Kind.allCases.count)
        filled = now
    }

    /// Counts a frame; false when it is too much.
    mutating func allows(_ kind: Kind, now: Moment) -> Bool {
        if left[kind.rawValue] <= 0 { refill(now) }
        left[kind.rawValue] -= 1
        return left[kind.rawValue] >= 0
    }

    /// Adds to an allowance what the server did that calls for such frames.
    mutating func earn(_ count: Int64, for kind: Kind) {
        left[kind.rawValue] = min(limit, left[kind.rawValue] + count)
    }

    private mutating func refill(_ now: Moment) {
        let passed = min(now - filled, Self.refillTime)
        guard passed > 0 else { return }
        let share = Int64(Double(limit) * Double(passed) / Double(Self.refillTime))
        guard share > 0 else { return }
        filled = now
        for index in left.indices { left[index] = min(limit, max(0, left[index]) + share) }
    }
}
