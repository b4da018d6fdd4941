import WeirModel

/// One way of a link, which all connections share segment by segment, each in its turn.
///
/// With segments of one size that is deficit round robin: of two that always have something to send, neither is ever more
/// than a segment ahead.
struct LinkLane {
    let direction: LinkPacer.Direction
    private(set) var conditions: LinkConditions
    private var flows: [UInt64: LinkFlow] = [:]
    /// Who may send, in turn; those before `turnStart` had theirs.
    private var turn: [UInt64] = []
    private var turnStart = 0
    /// When the link has room for the next segment.
    private var free: Moment
    /// What of a nanosecond the last segments took beyond whole ones.
    private var remainder = 0.0
    /// The segment on the link.
    private var sending: (connection: UInt64, start: Moment)?
    /// Who sent that segment and gets in line again when it is through, behind those who came meanwhile.
    private var returning: UInt64?
    /// When to look at a flow.
    private var events = DeadlineHeap()

    init(_ direction: LinkPacer.Direction, _ conditions: LinkConditions, now: Moment) {
        self.direction = direction
        self.conditions = conditions
        free = now
    }

    private var way: LinkConditions.Way { conditions[direction] }

    subscript(connection: UInt64) -> LinkFlow? { flows[connection] }

    mutating func open(_ connection: UInt64, _ flow: LinkFlow) { flows[connection] = flow }

    mutating func close(_ connection: UInt64) {
        flows[connection] = nil
        events.remove(connection)
        // Its turn, if it has one, is passed over when it comes.
    }

    /// Changes a flow at a time up to which everything has been done.
    mutating func change(_ connection: UInt64, now: Moment, _ body: (inout LinkFlow) -> Void) {
        guard flows[connection] != nil else { return }
        flows[connection]?.change(body)
        look(at: connection, now: now)
    }

    /// Takes note that a sender waits for room.
    mutating func setWantsRoom(_ connection: UInt64) { flows[connection]?.wantsRoom = true }

    /// Whether something is to be done when the link is free.
    private var hasTurn: Bool { returning != nil || (turnStart < turn.count && !way.isBlocked) }

    /// When something happens next by itself.
    var next: Moment? {
        let send = hasTurn ? free : nil
        guard let event = events.earliest else { return send }
        return send.map { min($0, event) } ?? event
    }

    /// Does everything up to a time.
    ///
    /// - Parameter news: Gets the connections that have something to take, or room again; some more than once.
    mutating func advance(to now: Moment, news: inout [UInt64]) {
        let conditions = conditions
        let way = way
        while true {
            let send = hasTurn ? free : nil
            if let event = events.earliest, event <= now, send.map({ event <= $0 }) ?? true {
                guard let connection = events.popDue(event) else { continue }
                if flows[connection]?.advance(to: event, conditions, way) == true { news.append(connection) }
                look(at: connection, now: event)
            } else if let send, send <= now {
                if let connection = returning {
                    returning = nil
                    look(at: connection, now: send)
                } else {
                    transmit(at: send)
                }
            } else {
                return
            }
        }
    }

    /// Gives a flow its turn if it may send, and sees to it that it is looked at in time.
    private mutating func look(at connection: UInt64, now: Moment) {
        guard let flow = flows[connection] else { return }
        if !flow.isInTurn, connection != returning, flow.canSend(at: now) {
            flows[connection]?.isInTurn = true
            if turnStart == turn.count, free < now {
                free = now
                remainder = 0
            }
            turn.append(connection)
        }
        var next = flow.next
        if now < flow.opens { next = next.map { min($0, flow.opens) } ?? flow.opens }
        if let next { events.schedule(connection, at: next) }
    }

    private mutating func transmit(at now: Moment) {
        let connection = turn[turnStart]
        turnStart += 1
        if turnStart == turn.count {
            turn.removeAll(keepingCapacity: true)
            turnStart = 0
        } else if turnStart > 1024 {
            turn.removeFirst(turnStart)
            turnStart = 0
        }
        guard flows[connection]?.isInTurn == true else { return }
        flows[connection]?.isInTurn = false
        if flows[connection]?.canSend(at: now) == true {
            let conditions = conditions
            let direction = direction
            let size = flows[connection]?.nextSize(at: now, conditions) ?? 0
            let exact = Double(size) * way.nanosecondsPerByte + remainder
            let whole = min(exact, 3e18).rounded(.down)
            remainder = exact - whole < 1 ? exact - whole : 0
            sending = (connection, now)
            free = now + Int64(whole)
            let sent = free
            flows[connection]?.send(size, sent: sent, conditions, direction)
            returning = connection
        }
        look(at: connection, now: now)
    }

    /// Takes other conditions from now on, where everything before has been done.
    ///
    /// What has left keeps its time of arrival; the rest of the segment on the link goes at the new rate.
    mutating func change(to new: LinkConditions, now: Moment) {
        if let sending, sending.start <= now, now < free, way.nanosecondsPerByte > 0 {
            let left = Double(free - now) / way.nanosecondsPerByte
            let end = now + Int64(min(left * new[direction].nanosecondsPerByte, 3e18))
            flows[sending.connection]?.moveLast(by: end - free)
            free = end
        }
        conditions = new
        remainder = 0
        // Nothing was sent while nothing got through.
        free = max(free, now)
        // More may be sent at once than before; and what was to arrive may have moved.
        for connection in flows.keys.sorted() { look(at: connection, now: now) }
    }
}

extension LinkFlow {
    /// Lets a closure change what an optional chain leads to.
    fileprivate mutating func change(_ body: (inout LinkFlow) -> Void) { body(&self) }
}
