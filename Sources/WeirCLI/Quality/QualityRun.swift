/// One direction of a responsiveness test, apart from network and clock: told what each interval and each probe brought, it says
/// what to do next and what the result is.
///
/// First the capacity is sought: connections are added at each interval until what they carry together has come to rest. Then
/// the responsiveness is watched, while connections go on being added, until it has come to rest, too. Neither may take longer than
/// it is given.
struct QualityRun: Sendable {
    /// How far it is.
    enum Stage: Sendable, Hashable {
        case capacity
        case responsiveness
        case finished
    }

    /// What the owner has to do.
    enum Action: Sendable, Hashable {
        /// Open so many more load-generating connections.
        case open(Int)
        /// End: the result is there.
        case finish
    }

    private let parameters: QualityParameters
    /// How many intervals both stages may take together; the first takes half of them at the most.
    private let mostIntervals: Int

    private(set) var stage = Stage.capacity
    private(set) var intervals = 0
    private(set) var connections = 0
    /// What was carried since the beginning.
    private var carried = 0.0
    /// The bytes and the seconds of the latest intervals.
    private var latest: [(bytes: Double, seconds: Double)] = []
    /// Those of all intervals, as many as a result may need.
    private var all: [(bytes: Double, seconds: Double, connections: Int)] = []
    /// The probes of the latest intervals, those of the one under way last.
    private var probes: [[Responsiveness.Probe]] = [[]]
    /// All probes of a kind, as long as they are few: what there is to go by where the latest intervals had none.
    private var allProbes: [Responsiveness.Probe] = []
    private var capacityStability: Stability
    private var responsivenessStability: Stability
    /// Whether a probe over a loaded connection was sent, so that an answer is to come.
    private var expectsLoaded = false
    /// The latest responsiveness, once a stage's interval has ended.
    private var responsiveness: Responsiveness?

    /// - Parameters:
    ///   - parameters: What to go by.
    ///   - mostIntervals: How many intervals it may take, from 1.
    init(_ parameters: QualityParameters, mostIntervals: Int) {
        self.parameters = parameters
        self.mostIntervals = max(1, mostIntervals)
        capacityStability = Stability(parameters)
        responsivenessStability = Stability(parameters)
    }

    /// Begins the first interval.
    mutating func begin() -> [Action] { add(parameters.initialConnections) }

    /// Takes note that a probe over a loaded connection was sent.
    mutating func sentLoadedProbe() { expectsLoaded = true }

    /// Takes a probe that has come back.
    mutating func take(_ probe: Responsiveness.Probe) {
        guard stage != .finished else { return }
        probes[probes.count - 1].append(probe)
        if allProbes.count < 1000 { allProbes.append(probe) }
    }

    /// Takes what an interval brought.
    ///
    /// - Parameters:
    ///   - bytes: What all connections together carried.
    ///   - seconds: How long it took.
    ///   - unanswered: How many milliseconds the oldest probe over a loaded connection has waited for its answer; nil without one.
    mutating func endInterval(bytes: Double, seconds: Double, unanswered: Double? = nil) -> [Action] {
        guard stage != .finished else { return [] }
        intervals += 1
        latest.append((max(0, bytes), max(seconds, 0.001)))
        if latest.count > parameters.movingAverageDistance { latest.removeFirst() }
        // Before the first bytes, and when they came, buffers were filled.
        if carried > 0 { all.append((max(0, bytes), max(seconds, 0.001), connections)) }
        carried += max(0, bytes)
        if all.count > Self.remembered { all.removeFirst() }
        var summary = currentResponsiveness
        if let unanswered { summary.noteUnanswered(for: unanswered) }
        responsiveness = summary
        probes.append([])
        if probes.count > parameters.movingAverageDistance { probes.removeFirst() }

        switch stage {
        case .capacity:
            capacityStability.add(bytesPerSecond)
            if capacityStability.isStable || intervals >= mostIntervals / 2 { stage = .responsiveness }
        case .responsiveness:
            // What is still to come would change it.
            let isWhole = !expectsLoaded || summary.loadedProbes > 0
            responsivenessStability.add(isWhole ? summary.combined ?? 0 : 0)
            if responsivenessStability.isStable { stage = .finished }
        case .finished: break
        }
        if intervals >= mostIntervals { stage = .finished }
        return stage == .finished ? [.finish] : add(parameters.addedConnections)
    }

    private mutating func add(_ count: Int) -> [Action] {
        guard carried >= Double(connections) * parameters.bytesPerConnection else { return [] }
        let count = min(count, parameters.maximumConnections - connections)
        guard count > 0 else { return [] }
        connections += count
        return [.open(count)]
    }

    /// The moving average of what was carried, in bytes a second; intervals before the first brought nothing.
    var bytesPerSecond: Double {
        let missing = Double(max(0, parameters.movingAverageDistance - latest.count))
        let seconds = latest.reduce(0) { $0 + $1.seconds } + missing * parameters.intervalSeconds
        return seconds > 0 ? latest.reduce(0) { $0 + $1.bytes } / seconds : 0
    }

    private static let remembered = 120
    /// In what steps a connection's bytes are seen: what its buffers and windows hold.
    private static let step = 65_536.0

    /// What was carried in the end, in bytes a second: over the moving average's intervals, and further back as long as that is
    /// less than two steps of each connection.
    ///
    /// On a slow link with many connections the steps in which bytes are acknowledged take longer than the moving average, which
    /// then shows now a step and now none.
    var steadyBytesPerSecond: Double {
        var bytes = 0.0
        var seconds = 0.0
        for (index, interval) in all.enumerated().reversed() {
            let isEnough = bytes >= Double(2 * interval.connections) * Self.step
            if all.count - index > parameters.movingAverageDistance, isEnough { break }
            bytes += interval.bytes
            seconds += interval.seconds
        }
        return seconds > 0 ? bytes / seconds : knownBytesPerSecond
    }

    /// Whether anything came in the latest intervals: without load there is nothing to say of a loaded network.
    private var isLoaded: Bool { latest.contains { $0.bytes > 0 } }

    /// The average of the intervals that there were, where they are fewer than those of the moving average.
    private var knownBytesPerSecond: Double {
        let seconds = latest.reduce(0) { $0 + $1.seconds }
        return seconds > 0 ? latest.reduce(0) { $0 + $1.bytes } / seconds : 0
    }

    private var currentResponsiveness: Responsiveness {
        let recent = probes.flatMap(\.self)
        var used = recent
        // Where probes take longer than the moving average, the older ones are what is known.
        if !recent.contains(where: \.isForeign) { used += allProbes.filter(\.isForeign) }
        if !recent.contains(where: { !$0.isForeign }) { used += allProbes.filter { !$0.isForeign } }
        return Responsiveness(used, share: parameters.trimmedMeanShare)
    }

    /// How many pairs of probes, one of each kind, may be sent in a second.
    ///
    /// They take the part of the capacity that they may, but one pair goes out in each interval: without any there would be
    /// nothing to tell.
    var probePairsPerSecond: Double {
        let affordable = parameters.probeShare * knownBytesPerSecond / parameters.bytesPerProbePair
        return max(1 / parameters.intervalSeconds, min(affordable, parameters.probesPerSecond / 2))
    }

    /// What was found so far.
    var result: QualityResult.Direction {
        let summary = responsiveness ?? currentResponsiveness
        return .init(
            bitsPerSecond: steadyBytesPerSecond * 8,
            capacityConfidence: isLoaded ? capacityStability.confidence : .low,
            responsiveness: summary,
            responsivenessConfidence: summary.combined == nil || !isLoaded ? .low : responsivenessStability.confidence,
            connections: connections, intervals: intervals, isLoaded: isLoaded)
    }
}

extension Responsiveness.Probe {
    var isForeign: Bool { if case .foreign = self { true } else { false } }
}
