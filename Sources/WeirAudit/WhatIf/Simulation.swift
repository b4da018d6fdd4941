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

        /// The place of the first that waits for a request; -1 where none does.
        func first(of source: Int) -> Int32 { firsts[source] }

        /// One that waits, and the place of the next; nil at -1.
        func entry(at place: Int32) -> (dependent: Int, next: Int32)? {
            guard place >= 0 else { return nil }
            let entry = entries[Int(place)]
            return (Int(entry.dependent), entry.next)
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
        return plain.withUnsafeBufferPointer { plain in
            [Times](unsafeUninitializedCapacity: nodes.count) { times, count in
                times.initialize(repeating: Times())
                count = nodes.count
                var run = Run(self, plain, UnsafeMutableBufferPointer(rebasing: times[..<count]))
                run.start(nodes)
                run.finish()
            }
        }
    }

    /// One run.
    private struct Run {
        private let plain: UnsafeBufferPointer<Plain>
        private let times: UnsafeMutableBufferPointer<Times>
        private let limits: [Int]
        private var pools: [Pool]
        private var queue = EventQueue<Event>()
        private var link: SharedLink
        /// How many requests each waits for; -1 for one that is made although what it waits for never ends.
        private var waitingFor: [Int]
        private var isCreated: [Bool]
        private var dependents: Dependents

        init(
            _ simulation: Simulation, _ plain: UnsafeBufferPointer<Plain>, _ times: UnsafeMutableBufferPointer<Times>
        ) {
            self.plain = plain
            self.times = times
            limits = simulation.limits
            pools = [Pool](repeating: Pool(), count: limits.count)
            for (origin, count) in simulation.spares.enumerated() where count > 0 && pools.indices.contains(origin) {
                pools[origin].idle = count
                pools[origin].open = count
                pools[origin].sharedIsUp = 0
            }
            link = SharedLink(rate: simulation.downlink ?? .infinity)
            waitingFor = [Int](repeating: 0, count: plain.count)
            isCreated = [Bool](repeating: false, count: plain.count)
            dependents = Dependents(count: plain.count)
            queue.reserve(plain.count)
        }

        /// Finds what each request waits for; those that wait for none begin.
        mutating func start(_ nodes: [Node?]) {
            for index in plain.indices where plain[index].isPresent {
                if let source = plain[index].source {
                    if isPresent(source, for: index) {
                        waitingFor[index] = 1
                        dependents.add(index, to: source)
                    }
                } else if plain[index].waitsForSeveral {
                    for source in Set(nodes[index]?.trigger.sources ?? []).sorted() where isPresent(source, for: index)
                    {
                        waitingFor[index] += 1
                        dependents.add(index, to: source)
                    }
                }
                if waitingFor[index] == 0 { queue.insert(.created(index), at: plain[index].delay) }
            }
        }

        private func isPresent(_ source: Int, for index: Int) -> Bool {
            source != index && plain.indices.contains(source) && plain[source].isPresent
        }

        /// Runs until all have ended.
        mutating func finish() {
            while true {
                while let (now, event) = queue.removeFirst() { handle(event, at: now) }
                let stuck = plain.indices.first { plain[$0].isPresent && !isCreated[$0] }
                guard let stuck else { return }
                waitingFor[stuck] = -1
                queue.insert(.created(stuck), at: 0)
            }
        }

        private mutating func handle(_ event: Event, at now: Double) {
            switch event {
            case .created(let index):
                guard plain[index].isPresent else { return }
                isCreated[index] = true
                times[index].created = now
                begin(index, at: now)
            case .answered(let index):
                if link.rate < .infinity, plain[index].isPresent, plain[index].transfer > 0 {
                    link.begin(index, plain[index].transfer, at: now)
                    queue.insert(.drained(link.generation), at: link.nextEnd)
                } else {
                    queue.insert(.ended(index), at: now)
                }
            case .drained(let generation):
                guard generation == link.generation, let index = link.end(at: now) else { return }
                queue.insert(.ended(index), at: now)
                if link.isBusy { queue.insert(.drained(link.generation), at: link.nextEnd) }
            case .ended(let index): end(index, at: now)
            }
        }

        /// Begins a request, or lets it wait for a connection.
        private mutating func begin(_ index: Int, at now: Double) {
            guard plain[index].isPresent else { return }
            let origin = plain[index].origin
            if plain[index].isMultiplexed {
                times[index].opened = pools[origin].sharedIsUp == nil
                let up = pools[origin].sharedIsUp ?? now + plain[index].setup + plain[index].slowStart
                pools[origin].sharedIsUp = up
                times[index].sent = max(now, up)
            } else if pools[origin].idle > 0, !(plain[index].opensConnection && pools[origin].open < limits[origin]) {
                pools[origin].idle -= 1
                times[index].sent = now
            } else if pools[origin].open < max(1, limits[origin]) {
                pools[origin].open += 1
                times[index].opened = true
                times[index].sent = now + plain[index].setup + plain[index].slowStart
            } else {
                wait(index, at: now, for: origin)
                return
            }
            queue.insert(.answered(index), at: times[index].sent + plain[index].exchange)
        }

        /// First in, first out; those that came at once in the order in which they were recorded to be sent.
        private mutating func wait(_ index: Int, at now: Double, for origin: Int) {
            let rank = plain[index].rank
            let count = pools[origin].queue.count
            var position = count
            while position > pools[origin].head, count - position < 64 {
                let before = pools[origin].queue[position - 1]
                guard plain[before].isPresent, plain[before].rank > rank, now - times[before].created < 5 else { break }
                position -= 1
            }
            pools[origin].queue.insert(index, at: position)
        }

        private mutating func end(_ index: Int, at now: Double) {
            guard plain[index].isPresent else { return }
            times[index].ended = now
            if !plain[index].isMultiplexed {
                let origin = plain[index].origin
                if plain[index].closesConnection { pools[origin].open -= 1 } else { pools[origin].idle += 1 }
                let head = pools[origin].head
                if head < pools[origin].queue.count {
                    pools[origin].head += 1
                    begin(pools[origin].queue[head], at: now)
                }
            }
            var place = dependents.first(of: index)
            while let (dependent, next) = dependents.entry(at: place) {
                place = next
                waitingFor[dependent] -= 1
                if waitingFor[dependent] == 0 { queue.insert(.created(dependent), at: now + plain[dependent].delay) }
            }
        }
    }
}
