import WeirModel

/// When bytes may cross a simulated link that all connections of a server share.
///
/// It knows no bytes, only how many there are, and no clock: the owner says what time it is, hands over counts, and asks
/// what has arrived. The same calls at the same times with the same seed give the same answers.
///
/// A connection's bytes go through the sender's buffer, wait for their turn on the link, take their time on it at the
/// link's rate, are on their way for the delay, and arrive in order. What a sender may have on its way is limited by its
/// window, which starts small. A lost segment is late by the time after which TCP sends it again, and holds up
/// what follows it; it takes the link's time once.
struct LinkPacer {
    enum Direction: Sendable {
        /// From the client to the server.
        case up
        /// From the server to the client.
        case down
    }

    /// How a way of a connection ends.
    enum Ending: Sendable {
        /// The end of the stream.
        case finish
        /// A reset.
        case reset
    }

    /// How long a client waits for the answer to its first packet (RFC 6298, section 2.1).
    private static let firstRetransmission: Int64 = 1_000_000_000

    private(set) var conditions: LinkConditions
    private let seed: UInt64
    private var up: LinkLane
    private var down: LinkLane
    /// When the first lookup of the server's name ends; from then on clients know it.
    private var lookupEnds: Moment?
    private var news: [UInt64] = []
    /// Up to when everything has been done.
    private var latest: Moment

    init(_ profile: LinkProfile, seed: UInt64, now: Moment) {
        conditions = LinkConditions(profile)
        self.seed = seed
        latest = now
        up = LinkLane(.up, conditions, now: now)
        down = LinkLane(.down, conditions, now: now)
    }

    /// Adds a connection.
    ///
    /// The kernel of this machine has opened it in no time, and no server can keep it from that. So the time that the
    /// handshake takes on the link is charged to what comes first: before it has passed, nothing leaves the client.
    ///
    /// - Parameters:
    ///   - connection: Its number, which also chooses its random numbers.
    ///   - isNew: Whether it was opened just now, rather than before there was a link.
    mutating func open(_ connection: UInt64, isNew: Bool = true, now: Moment) {
        let now = advance(by: now)
        var upRandom = LinkRandom(seed: seed, connection: connection, direction: .up)
        var opens = now
        if isNew {
            if conditions.lookup > 0 {
                let ends = lookupEnds ?? now + conditions.lookup
                lookupEnds = ends
                opens = max(opens, ends)
            }
            opens = opens + conditions.handshake
            if conditions.losesHandshakes, conditions.lossRate > 0 {
                // Either of two packets can be lost, and then the client starts anew.
                let rate = 1 - (1 - conditions.lossRate) * (1 - conditions.lossRate)
                var losses = 0
                while losses < 30, upRandom.unit() < rate { losses += 1 }
                opens = opens + LinkConditions.delay(after: losses, first: Self.firstRetransmission)
            }
        }
        let window = conditions.initialWindow
        up.open(connection, LinkFlow(opens: opens, window: window, random: upRandom))
        // The server may send when the client's last packet of the handshake is here.
        let random = LinkRandom(seed: seed, connection: connection, direction: .down)
        let downOpens = isNew ? opens + conditions.up.delay : opens
        down.open(connection, LinkFlow(opens: downOpens, window: window, random: random))
    }

    /// Forgets a connection and what it had on its way.
    mutating func close(_ connection: UInt64) {
        up.close(connection)
        down.close(connection)
    }

    /// Hands over bytes to be sent; more than there is room for is the caller's fault and goes through all the same.
    mutating func enqueue(_ bytes: Int, _ direction: Direction, of connection: UInt64, now: Moment) {
        let now = advance(by: now)
        withLane(direction) { $0.change(connection, now: now) { $0.enqueue(bytes) } }
        advance(to: now)
    }

    /// Lets the way end after what was handed over.
    mutating func end(_ ending: Ending, _ direction: Direction, of connection: UInt64, now: Moment) {
        let now = advance(by: now)
        withLane(direction) { $0.change(connection, now: now) { $0.end(ending) } }
        advance(to: now)
    }

    /// How many bytes may be handed over now.
    func room(_ direction: Direction, of connection: UInt64) -> Int {
        self[direction][connection]?.room(conditions[direction].capacity) ?? 0
    }

    /// Asks to be told, through ``takeNews(into:)``, when there is room again.
    mutating func awaitRoom(_ direction: Direction, of connection: UInt64) {
        withLane(direction) { $0.setWantsRoom(connection) }
    }

    /// What has arrived and was not taken yet, and what came after it.
    func arrived(_ direction: Direction, of connection: UInt64) -> (bytes: Int, ending: Ending?) {
        self[direction][connection].map { ($0.arrived, $0.arrivedEnding) } ?? (0, nil)
    }

    /// The receiver takes bytes that have arrived.
    mutating func take(_ bytes: Int, _ direction: Direction, of connection: UInt64, now: Moment) {
        let now = advance(by: now)
        let capacity = conditions[direction].capacity
        var hasRoom = false
        withLane(direction) {
            $0.change(connection, now: now) { flow in
                flow.take(bytes)
                guard flow.wantsRoom, flow.room(capacity) >= capacity / 4 else { return }
                flow.wantsRoom = false
                hasRoom = true
            }
        }
        if hasRoom { news.append(connection) }
    }

    /// Whether nothing is on its way or waits to be.
    func isDelivered(_ direction: Direction, of connection: UInt64) -> Bool {
        self[direction][connection]?.isDelivered ?? true
    }

    /// When to call ``advance(to:)`` though nothing happened; nil for never.
    var next: Moment? {
        guard let up = up.next else { return down.next }
        return down.next.map { min($0, up) } ?? up
    }

    /// Does everything up to a time.
    mutating func advance(to now: Moment) { advance(by: now) }

    /// Does everything up to a time; returns it, or the time up to which everything has been done if that is later.
    @discardableResult
    private mutating func advance(by now: Moment) -> Moment {
        latest = max(latest, now)
        up.advance(to: latest, news: &news)
        down.advance(to: latest, news: &news)
        return latest
    }

    /// Whether ``takeNews(into:)`` would tell something.
    var hasNews: Bool { !news.isEmpty }

    /// Takes the connections that have something to take or room again, in exchange for an empty list.
    mutating func takeNews(into list: inout [UInt64]) {
        swap(&list, &news)
    }

    /// Becomes another link; what is on its way arrives when it would have.
    mutating func change(to profile: LinkProfile, now: Moment) {
        let now = advance(by: now)
        conditions = LinkConditions(profile)
        lookupEnds = nil
        up.change(to: conditions, now: now)
        down.change(to: conditions, now: now)
        advance(to: now)
    }

    private subscript(direction: Direction) -> LinkLane { direction == .up ? up : down }

    private mutating func withLane(_ direction: Direction, _ body: (inout LinkLane) -> Void) {
        switch direction {
        case .up: body(&up)
        case .down: body(&down)
        }
    }
}
