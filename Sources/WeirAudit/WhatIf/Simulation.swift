/// Runs a unit of work again, in simulated time: when each request could start, and when it would end.
///
/// A discrete-event simulation of requests over pools of connections: first in, first out behind a limit for
/// HTTP/1.1, all on one connection for HTTP/2 and 3. Times are in milliseconds.
struct Simulation {
    /// What starts a request.
    enum Trigger: Hashable {
        /// The unit's start, and so long after it.
        case start(after: Double)
        /// The end of this request, and so long after it: as most are.
        case end(of: Int, after: Double)
        /// The last end of these requests, and so long after it.
        case ends(of: [Int], after: Double)

        /// How long after what it waits for.
        var delay: Double {
            switch self {
            case .start(let after), .end(_, let after), .ends(_, let after): after
            }
        }

        /// The requests that it waits for.
        var sources: [Int] {
            switch self {
            case .start: []
            case .end(let source, _): [source]
            case .ends(let sources, _): sources
            }
        }

        /// Whether it waits for any of these.
        func waits(for isAny: (Int) -> Bool) -> Bool {
            switch self {
            case .start: false
            case .end(let source, _): isAny(source)
            case .ends(let sources, _): sources.contains(where: isAny)
            }
        }
    }

    /// One request.
    struct Node: Hashable {
        /// The pool that it takes a connection from.
        var origin: Int
        /// Whether it shares its connection with others.
        var isMultiplexed: Bool
        /// Name lookup and handshakes, if it has to open a connection.
        var setup: Double
        /// From the start of sending to the last byte.
        var exchange: Double
        /// What starts it.
        var trigger: Trigger
        /// Whether the connection is closed when the exchange ends.
        var closesConnection = false
        /// Bytes that come over the link after the exchange, sharing it with others.
        var transfer = 0.0
        /// What opening its connection costs beyond ``setup``: the window that is small at first.
        var slowStart = 0.0
        /// Its place in the order in which those that wait for a connection get one, as it was recorded.
        var rank = 0
        /// Whether it opens a connection even where one is idle, as it did when it was recorded.
        var opensConnection = false
    }

    /// When a request was created, began to be sent, and ended.
    struct Times: Hashable {
        var created = 0.0
        var sent = 0.0
        var ended = 0.0
        /// Whether it opened a connection.
        var opened = false
    }

    /// The requests; nil stands for one that is left out.
    var nodes: [Node?]
    /// The most connections of each origin.
    var limits: [Int]
    /// How many connections of each origin are open from the start; empty for none.
    var spares: [Int] = []
    /// What the link brings at most, in bytes per millisecond, for all transfers together; nil for no limit.
    var downlink: Double?

    private struct Pool {
        var idle = 0
        var open = 0
        var queue: [Int] = []
        var head = 0
        /// When the shared connection is up; nil before it is opened.
        var sharedIsUp: Double?
    }

    /// Which requests wait for the end of which, in the order in which they were added.
    private struct Dependents {
        private var entries: [(dependent: Int32, next: Int32)] = []
        private var firsts: [Int32]
        private var lasts: [Int32]

        init(count: Int) {
            firsts = [Int32](repeating: -1, count: count)
            lasts = firsts
            entries.reserveCapacity(count)
        }

        mutating func add(_ dependent: Int, to source: Int) {
            let place = Int32(truncatingIfNeeded: entries.count)
            entries.append((Int32(truncatingIfNeeded: dependent), -1))
            if lasts[source] >= 0 { entries[Int(lasts[source])].next = place } else { firsts[source] = place }
            lasts[source] = place
        }

        func forEach(of source: Int, _ body: (Int) -> Void) {
            var place = firsts[source]
            while place >= 0 {
                let entry = entries[Int(place)]
                body(Int(entry.dependent))
                place = entry.next
            }
        }
    }

    private enum Event {
        case created(Int)
        /// All but the transfer is over.
        case answered(Int)
        case ended(Int)
        /// The first of the transfers under way is done, unless others have begun or ended meanwhile.
        case drained(Int)
    }

    /// A request while it is run: what of it is looked at in every event, with no reference to be counted.
    private struct Plain {
        var isPresent = false
        var isMultiplexed = false
        var closesConnection = false
        var opensConnection = false
        var origin = 0
        var rank = 0
        var setup = 0.0
        var slowStart = 0.0
        var exchange = 0.0
        var transfer = 0.0
        var delay = 0.0
        /// The one request that it waits for; none where it waits for several.
        var source: Int?
        var waitsForSeveral = false

        init(_ node: borrowing Node?) {
            switch node {
            case nil: break
            case .some(let node):
                isPresent = true
                isMultiplexed = node.isMultiplexed
                closesConnection = node.closesConnection
                opensConnection = node.opensConnection
                origin = node.origin
                rank = node.rank
                setup = node.setup
                slowStart = node.slowStart
                exchange = node.exchange
                transfer = node.transfer
                switch node.trigger {
                case .start(let after): delay = after
                case .end(let of, let after): (source, delay) = (of, after)
                case .ends(_, let after): (waitsForSeveral, delay) = (true, after)
                }
            }
        }
    }

    /// Runs all requests.
    ///
    /// A request whose trigger never happens (a cycle) is taken to start at once.
    ///
    /// Complexity: O(n log n).
    func run() -> [Times] {
        let plain = nodes.map { Plain($0) }
        return plain.withUnsafeBufferPointer { run($0) }
    }

    private func run(_ plain: UnsafeBufferPointer<Plain>) -> [Times] {
        var times = [Times](repeating: Times(), count: nodes.count)
        var pools = [Pool](repeating: Pool(), count: limits.count)
        for (origin, count) in spares.enumerated() where count > 0 && pools.indices.contains(origin) {
            pools[origin].idle = count
            pools[origin].open = count
            pools[origin].sharedIsUp = 0
        }
        var queue = EventQueue<Event>()
        var link = SharedLink(rate: downlink ?? .infinity)
        var waitingFor = [Int](repeating: 0, count: nodes.count)
        var dependents = Dependents(count: nodes.count)
        var isCreated = [Bool](repeating: false, count: nodes.count)
        queue.reserve(nodes.count)

        for index in nodes.indices {
            guard plain[index].isPresent else { continue }
            func isPresent(_ source: Int) -> Bool {
                source != index && plain.indices.contains(source) && plain[source].isPresent
            }
            if let source = plain[index].source {
                if isPresent(source) {
                    waitingFor[index] = 1
                    dependents.add(index, to: source)
                }
            } else if plain[index].waitsForSeveral {
                for source in Set(nodes[index]?.trigger.sources ?? []).sorted() where isPresent(source) {
                    waitingFor[index] += 1
                    dependents.add(index, to: source)
                }
            }
            if waitingFor[index] == 0 { queue.insert(.created(index), at: plain[index].delay) }
        }

        /// Begins a request, or lets it wait for a connection.
        func begin(_ index: Int, at now: Double, in pool: inout Pool) {
            let node = plain[index]
            guard node.isPresent else { return }
            if node.isMultiplexed {
                times[index].opened = pool.sharedIsUp == nil
                let up = pool.sharedIsUp ?? now + node.setup + node.slowStart
                pool.sharedIsUp = up
                times[index].sent = max(now, up)
            } else if pool.idle > 0, !(node.opensConnection && pool.open < limits[node.origin]) {
                pool.idle -= 1
                times[index].sent = now
            } else if pool.open < max(1, limits[node.origin]) {
                pool.open += 1
                times[index].opened = true
                times[index].sent = now + node.setup + node.slowStart
            } else {
                // First in, first out; those that came at once in the order in which they were recorded to be sent.
                var position = pool.queue.count
                while position > pool.head, pool.queue.count - position < 64,
                    plain[pool.queue[position - 1]].isPresent,
                    plain[pool.queue[position - 1]].rank > node.rank, now - times[pool.queue[position - 1]].created < 5
                {
                    position -= 1
                }
                pool.queue.insert(index, at: position)
                return
            }
            queue.insert(.answered(index), at: times[index].sent + node.exchange)
        }

        while true {
            while let (now, event) = queue.removeFirst() {
                switch event {
                case .created(let index):
                    guard plain[index].isPresent else { continue }
                    isCreated[index] = true
                    times[index].created = now
                    begin(index, at: now, in: &pools[plain[index].origin])
                case .answered(let index):
                    if link.rate < .infinity, plain[index].isPresent, plain[index].transfer > 0 {
                        link.begin(index, plain[index].transfer, at: now)
                        queue.insert(.drained(link.generation), at: link.nextEnd)
                    } else {
                        queue.insert(.ended(index), at: now)
                    }
                case .drained(let generation):
                    guard generation == link.generation, let index = link.end(at: now) else { continue }
                    queue.insert(.ended(index), at: now)
                    if link.isBusy { queue.insert(.drained(link.generation), at: link.nextEnd) }
                case .ended(let index):
                    guard plain[index].isPresent else { continue }
                    times[index].ended = now
                    if !plain[index].isMultiplexed {
                        let origin = plain[index].origin
                        if plain[index].closesConnection { pools[origin].open -= 1 } else { pools[origin].idle += 1 }
                        let head = pools[origin].head
                        if head < pools[origin].queue.count {
                            pools[origin].head += 1
                            begin(pools[origin].queue[head], at: now, in: &pools[origin])
                        }
                    }
                    dependents.forEach(of: index) { dependent in
                        waitingFor[dependent] -= 1
                        guard waitingFor[dependent] == 0 else { return }
                        queue.insert(.created(dependent), at: now + plain[dependent].delay)
                    }
                }
            }
            let stuck = plain.indices.first { plain[$0].isPresent && !isCreated[$0] }
            guard let stuck else { return times }
            waitingFor[stuck] = -1
            queue.insert(.created(stuck), at: 0)
        }
    }
}
