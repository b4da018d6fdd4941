/// Which tasks are told of one by one: a share of all, and those that matter.
///
/// The decision depends on the task's id alone, so it is the same wherever and whenever it is taken.
public struct Sampling: Sendable, Hashable {
    /// The share of all tasks, 0 to 1.
    public var rate: Double
    /// Whether slow tasks are kept in any case.
    public var keepsSlow: Bool
    /// Whether tasks without a complete response, or with a status of 500 or more, are kept in any case.
    public var keepsFailed: Bool
    /// Another seed chooses other tasks.
    public var seed: UInt64

    /// All tasks.
    public static var all: Sampling { Sampling(rate: 1) }

    /// A share of all tasks, and those that matter.
    public init(rate: Double, keepsSlow: Bool = true, keepsFailed: Bool = true, seed: UInt64 = 0) {
        self.rate = rate
        self.keepsSlow = keepsSlow
        self.keepsFailed = keepsFailed
        self.seed = seed
    }

    /// Whether a task is kept.
    public func keeps(_ timing: RequestTiming) -> Bool {
        keeps(id: timing.id, isSlow: timing.isSlow, isFailed: timing.failure != nil || (timing.statusCode ?? 0) >= 500)
    }

    func keeps(id: UInt64, isSlow: Bool, isFailed: Bool) -> Bool {
        if keepsSlow, isSlow { return true }
        if keepsFailed, isFailed { return true }
        if rate >= 1 { return true }
        // The upper 53 bits as a fraction: exact, and never 1.
        return Double(Self.draw(id, seed) >> 11) * 0x1p-53 < rate
    }

    /// The task's lot: of a reservoir those with the least are kept.
    static func draw(_ id: UInt64, _ seed: UInt64) -> UInt64 {
        // SplitMix64 (Steele, Lea and Flood, 2014): every bit of the id reaches every bit of the lot.
        var mixed = id &+ seed &* 0xD134_2543_DE82_EF95 &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// A few tasks of each route, each task with the same chance: those that drew the least lots.
///
/// Which they are does not depend on the order of the tasks, and those of two reservoirs together are those of one that saw all.
struct TimingReservoir: Sendable {
    private struct Kept: Sendable {
        var lot: UInt64
        var timing: RequestTiming
    }

    let limit: Int
    private let seed: UInt64
    /// By route; each in the order of the lots.
    private var routes: [[Kept]] = []

    init(limit: Int, seed: UInt64) {
        self.limit = max(0, limit)
        self.seed = seed
    }

    /// Whether a task would be kept.
    func wants(_ id: UInt64, route: Int32) -> Bool {
        guard limit > 0 else { return false }
        guard routes.count > Int(route), routes[Int(route)].count == limit, let last = routes[Int(route)].last else {
            return true
        }
        return Sampling.draw(id, seed) < last.lot
    }

    /// Keeps a task in place of the one with the greatest lot.
    mutating func keep(_ timing: RequestTiming, route: Int32) {
        while routes.count <= Int(route) { routes.append([]) }
        let lot = Sampling.draw(timing.id, seed)
        let place = routes[Int(route)].firstIndex { lot < $0.lot } ?? routes[Int(route)].count
        routes[Int(route)].insert(Kept(lot: lot, timing: timing), at: place)
        if routes[Int(route)].count > limit { routes[Int(route)].removeLast() }
    }

    /// The kept tasks of a route with their lots, in the order of the lots.
    func timings(route: Int32) -> [(lot: UInt64, timing: RequestTiming)] {
        routes.count > Int(route) ? routes[Int(route)].map { ($0.lot, $0.timing) } : []
    }
}
