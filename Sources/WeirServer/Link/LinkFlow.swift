import WeirModel

/// One way of one connection: what its sender has to send, what is on its way, and what has arrived.
struct LinkFlow {
    /// What is on its way.
    struct Segment {
        var bytes: Int
        var arrives: Moment
        var acknowledged: Moment
        /// Whether it was sent more than once.
        var wasLost: Bool
        /// What follows its bytes.
        var ending: LinkPacer.Ending?
    }

    /// Handed over and not sent.
    private(set) var queued = 0
    /// Sent and not acknowledged.
    private(set) var unacknowledged = 0
    /// Arrived and not taken by the receiver.
    private(set) var arrived = 0
    /// What arrived after all bytes.
    private(set) var arrivedEnding: LinkPacer.Ending?
    /// What follows the bytes that are queued.
    private var ending: LinkPacer.Ending?
    private var window: Int
    /// From when the sender may send.
    let opens: Moment
    private var lastSent: Moment
    private var random: LinkRandom
    /// Whether the lane has it in its turn.
    var isInTurn = false
    /// Whether the sender waits for room.
    var wantsRoom = false

    /// What was sent, in order; those before `firstUnacknowledged` are done with.
    private var segments: [Segment] = []
    private var firstUnacknowledged = 0
    private var firstUnarrived = 0

    init(opens: Moment, window: Int, random: LinkRandom) {
        self.opens = opens
        self.window = window
        self.random = random
        lastSent = opens
    }

    /// Whether all that was handed over has arrived, its end too if there is one.
    var isDelivered: Bool { queued == 0 && ending == nil && firstUnarrived == segments.count }

    /// How many bytes may be handed over.
    func room(_ capacity: Int) -> Int { max(0, capacity - queued - unacknowledged - arrived) }

    mutating func enqueue(_ bytes: Int) { queued += bytes }

    /// Lets the end follow what is queued; a reset takes the place of an end that is not sent.
    mutating func end(_ ending: LinkPacer.Ending) {
        if self.ending != nil, ending == .finish { return }
        self.ending = ending
    }

    /// The receiver took bytes.
    mutating func take(_ bytes: Int) { arrived -= min(bytes, arrived) }

    /// Whether there is something that may be sent at that time.
    func canSend(at now: Moment) -> Bool {
        guard opens <= now else { return false }
        if queued == 0 { return ending != nil }
        // A whole segment at a time, so that a window that opens in small steps does not cut them small.
        return unacknowledged == 0 || unacknowledged + min(queued, LinkConditions.segmentSize) <= window
    }

    /// Takes the next segment to be sent: its size, and whether the end is all that is in it.
    mutating func nextSize(at now: Moment, _ conditions: LinkConditions) -> Int {
        if unacknowledged == 0, now - lastSent > conditions.retransmission {
            // After a rest, what is known of the path is old (RFC 5681, section 4.1).
            window = min(window, conditions.initialWindow)
        }
        lastSent = now
        return min(queued, LinkConditions.segmentSize)
    }

    /// Puts a segment on its way.
    ///
    /// - Parameters:
    ///   - size: Its bytes; 0 for the end alone.
    ///   - sent: When its last bit is on the link.
    mutating func send(_ size: Int, sent: Moment, _ conditions: LinkConditions, _ direction: LinkPacer.Direction) {
        queued -= size
        unacknowledged += size
        var segmentEnding: LinkPacer.Ending?
        if queued == 0 { (segmentEnding, ending) = (ending, nil) }
        var delay = conditions[direction].delay
        if conditions.jitter > 0 {
            delay = LinkConditions.sum(delay, Int64(random.unit() * Double(conditions.jitter)))
        }
        let losses = drawLosses(conditions.lossRate)
        delay = LinkConditions.sum(delay, LinkConditions.delay(after: losses, first: conditions.retransmission))
        // Bytes are handed over in order: what overtakes waits for what is late.
        let arrives = max(sent + delay, segments.last?.arrives ?? sent)
        let back = arrives + conditions[direction == .up ? .down : .up].delay
        segments.append(
            Segment(
                bytes: size, arrives: arrives, acknowledged: max(back, segments.last?.acknowledged ?? back),
                wasLost: losses > 0, ending: segmentEnding))
    }

    /// How often the next segment is lost before it gets through.
    mutating func drawLosses(_ rate: Double) -> Int {
        guard rate > 0 else { return 0 }
        var losses = 0
        while losses < 30, random.unit() < rate { losses += 1 }
        return losses
    }

    /// Moves the segment that was sent last, since the rate changed while it was being sent.
    mutating func moveLast(by nanoseconds: Int64) {
        guard let last = segments.indices.last, last >= firstUnarrived else { return }
        let before = last > 0 ? segments[last - 1] : nil
        segments[last].arrives = max(segments[last].arrives + nanoseconds, before?.arrives ?? Moment(nanoseconds: .min))
        segments[last].acknowledged = max(
            segments[last].acknowledged + nanoseconds, before?.acknowledged ?? Moment(nanoseconds: .min))
    }

    /// When something happens next by itself.
    var next: Moment? {
        var earliest: Moment?
        func consider(_ moment: Moment) { earliest = earliest.map { min($0, moment) } ?? moment }
        if firstUnarrived < segments.count { consider(segments[firstUnarrived].arrives) }
        if firstUnacknowledged < firstUnarrived { consider(segments[firstUnacknowledged].acknowledged) }
        return earliest
    }

    /// Takes note of what has arrived and was acknowledged by that time; whether the owner has something to do.
    mutating func advance(to now: Moment, _ conditions: LinkConditions, _ way: LinkConditions.Way) -> Bool {
        var isNews = false
        while firstUnarrived < segments.count, segments[firstUnarrived].arrives <= now {
            arrived += segments[firstUnarrived].bytes
            if let ending = segments[firstUnarrived].ending { arrivedEnding = ending }
            firstUnarrived += 1
            isNews = true
        }
        while firstUnacknowledged < firstUnarrived, segments[firstUnacknowledged].acknowledged <= now {
            acknowledge(segments[firstUnacknowledged], conditions, way)
            firstUnacknowledged += 1
        }
        if firstUnacknowledged == segments.count {
            segments.removeAll(keepingCapacity: true)
            firstUnacknowledged = 0
            firstUnarrived = 0
        } else if firstUnacknowledged > 256, firstUnacknowledged > segments.count / 2 {
            segments.removeFirst(firstUnacknowledged)
            firstUnarrived -= firstUnacknowledged
            firstUnacknowledged = 0
        }
        if wantsRoom, room(way.capacity) >= way.capacity / 4 {
            wantsRoom = false
            isNews = true
        }
        return isNews
    }

    private mutating func acknowledge(_ segment: Segment, _ conditions: LinkConditions, _ way: LinkConditions.Way) {
        unacknowledged -= segment.bytes
        guard conditions.initialWindow < .max else {
            window = .max
            return
        }
        // A loss tells the sender to start again; each acknowledged byte lets one more follow (RFC 5681, section 3.1).
        window = segment.wasLost ? conditions.initialWindow : min(window, way.windowLimit)
        window = min(window + segment.bytes, max(way.windowLimit, conditions.initialWindow))
    }
}
