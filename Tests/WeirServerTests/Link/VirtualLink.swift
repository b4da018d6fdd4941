import WeirModel

@testable import WeirServer

/// A pacer under a clock that jumps from one event to the next.
struct VirtualLink {
    struct Arrival: Equatable {
        var connection: UInt64
        var direction: LinkPacer.Direction
        var bytes: Int
        var ending: LinkPacer.Ending?
        /// Milliseconds since the start.
        var at: Double
    }

    private(set) var pacer: LinkPacer
    private(set) var now = Moment(nanoseconds: 1_000_000_000_000)
    private let start = Moment(nanoseconds: 1_000_000_000_000)
    private(set) var arrivals: [Arrival] = []
    private var connections: Set<UInt64> = []
    private var seenEndings: [UInt64: Set<LinkPacer.Ending>] = [:]

    init(_ profile: LinkProfile, seed: UInt64 = 1) {
        pacer = LinkPacer(profile, seed: seed, now: now)
    }

    /// Milliseconds since the start.
    var milliseconds: Double { Double(now - start) / 1e6 }

    mutating func open(_ connection: UInt64, isNew: Bool = false) {
        connections.insert(connection)
        pacer.open(connection, isNew: isNew, now: now)
        collect()
    }

    mutating func send(_ bytes: Int, _ direction: LinkPacer.Direction = .down, _ connection: UInt64 = 1) {
        pacer.enqueue(bytes, direction, of: connection, now: now)
        collect()
    }

    mutating func end(_ ending: LinkPacer.Ending, _ direction: LinkPacer.Direction = .down, _ connection: UInt64 = 1) {
        pacer.end(ending, direction, of: connection, now: now)
        collect()
    }

    mutating func change(to profile: LinkProfile) {
        pacer.change(to: profile, now: now)
        collect()
    }

    /// Lets time pass, event by event, until nothing is left to happen or so many milliseconds have passed since the start.
    mutating func run(until milliseconds: Double = .infinity) {
        let end = milliseconds.isFinite ? start + Int64((milliseconds * 1e6).rounded()) : Moment(nanoseconds: .max)
        while let next = pacer.next, next <= end {
            now = max(now, next)
            pacer.advance(to: now)
            collect()
        }
        if milliseconds.isFinite {
            now = max(now, end)
            pacer.advance(to: now)
            collect()
        }
    }

    private mutating func collect() {
        var news: [UInt64] = []
        pacer.takeNews(into: &news)
        // Not only those with news: that nothing arrives without being told is part of what is tested.
        for connection in connections.sorted() {
            for direction in [LinkPacer.Direction.up, .down] {
                let arrived = pacer.arrived(direction, of: connection)
                let key = connection * 2 + (direction == .up ? 1 : 0)
                var ending = arrived.ending
                if let given = ending, !seenEndings[key, default: []].insert(given).inserted { ending = nil }
                guard arrived.bytes > 0 || ending != nil else { continue }
                precondition(news.contains(connection))
                pacer.take(arrived.bytes, direction, of: connection, now: now)
                arrivals.append(
                    Arrival(
                        connection: connection, direction: direction, bytes: arrived.bytes, ending: ending,
                        at: milliseconds))
            }
        }
    }

    /// What arrived of a connection, in bytes.
    func total(_ direction: LinkPacer.Direction = .down, _ connection: UInt64 = 1) -> Int {
        arrivals.reduce(0) { $0 + ($1.direction == direction && $1.connection == connection ? $1.bytes : 0) }
    }

    /// When the last of a connection's bytes arrived, in milliseconds since the start.
    func last(_ direction: LinkPacer.Direction = .down, _ connection: UInt64 = 1) -> Double {
        arrivals.last { $0.direction == direction && $0.connection == connection }?.at ?? .nan
    }
}

extension LinkProfile {
    /// A link of kilobits and milliseconds, the delay half each way, without slow start and handshakes unless asked for.
    static func test(
        down: Double? = nil, up: Double? = nil, roundTrip: Int = 0, window: Int? = nil, trips: Int = 0
    ) -> LinkProfile {
        var profile = LinkProfile(
            name: "test", downlinkBitsPerSecond: down.map { $0 * 1000 }, uplinkBitsPerSecond: up.map { $0 * 1000 },
            oneWayDelayDown: .microseconds(roundTrip * 500), oneWayDelayUp: .microseconds(roundTrip * 500))
        profile.initialWindow = window
        profile.connectRoundTrips = trips
        return profile
    }
}
