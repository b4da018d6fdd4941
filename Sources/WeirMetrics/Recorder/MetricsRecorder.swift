public import Foundation
import Synchronization
public import WeirModel

/// Keeps the distributions of an app's requests, by route and segment, in memory that does not grow with their number.
///
/// ```swift
/// let recorder = MetricsRecorder(route: .template(["books/:id"]))
/// let session = HTTPSession(observers: [recorder])
/// recorder.percentile(0.95, of: \.waiting, route: "books/:id")    // milliseconds
/// ```
///
/// It is meant for production: recording takes well below a microsecond and no memory, and nothing personal is kept. Threads that
/// record at the same time work in parts of their own, which are put together when somebody asks.
public final class MetricsRecorder: TaskObserver {
    struct History: Sendable {
        var assembly: SnapshotAssembly
        /// What was taken with earlier deltas.
        var taken: MetricsSnapshot
        /// What an earlier run of the app left, and no delta has taken yet.
        var left: MetricsSnapshot?
        /// When the last delta was taken.
        var lastDelta: Date
    }

    let settings: MetricsSettings
    private let shards: [MetricsShard]
    /// How many of the parts are in use: more than one only after threads were in each other's way.
    private let active = Atomic<Int>(1)
    let history: Lock<History>
    private let onSlow: (@Sendable (RequestTiming) -> Void)?
    private let now: @Sendable () -> Date
    let saving: Saving?

    /// When it began.
    public let start: Date

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - route: How requests get the names of their routes.
    ///   - options: Limits, buckets, labels, and what counts as slow.
    public convenience init(route: RouteNaming = .automatic, options: Options = Options()) {
        self.init(route: route, options: options, now: { Date() })
    }

    /// Makes a recorder that asks the app for the names of routes; see ``RouteNaming/custom(_:)``.
    public convenience init(options: Options = Options(), _ name: @escaping @Sendable (_ url: RequestURL) -> String) {
        self.init(route: .custom(name), options: options, now: { Date() })
    }

    /// - Parameter now: The clock.
    package init(
        route: RouteNaming, options: Options, now: @escaping @Sendable () -> Date, parts: Int? = nil
    ) {
        settings = options.settings(route)
        onSlow = options.onSlow
        self.now = now
        start = now()
        // A thread that is interrupted in the middle keeps its part: there are more parts than processors. Each is used only when
        // those before it were all taken at once.
        let count = parts ?? max(1, min(8, 4 * ProcessInfo.processInfo.activeProcessorCount))
        shards = (0..<count).map { [settings] _ in MetricsShard(settings) }
        let empty = MetricsSnapshot(
            start: start, end: start, temporality: .cumulative, labelName: settings.label?.name,
            seriesLimit: settings.seriesLimit)
        saving = options.saving.map(Saving.init)
        history = Lock(
            History(assembly: SnapshotAssembly(settings), taken: empty, left: saving?.takeLeft(), lastDelta: start))
        saving?.begin(self)
    }

    deinit { saving?.end() }

    /// Records a finished task.
    public func taskDidFinish(_ record: TaskRecord) {
        var observation = Observation(record)
        if let label = settings.label { observation.traits.label = label.code(of: record) }
        let outcome = add(record, observation)
        guard let route = outcome.route, let onSlow else { return }
        onSlow(RequestTiming(record, observation, route: route, labels: settings.label, isSlow: outcome.isSlow))
    }

    private func add(_ record: TaskRecord, _ observation: Observation) -> MetricsShard.Outcome {
        let active = active.load(ordering: .relaxed)
        // One thread keeps to one part, whose memory is in its processor's cache then.
        let first = active == 1 ? 0 : ThreadPlace.current % active
        for step in 0..<active {
            let place = (first + step) % active
            guard let outcome = shards[place].recordIfFree(record, observation, settings) else { continue }
            // Next time it begins here, rather than be in the same thread's way again.
            if step > 0 { ThreadPlace.current = place }
            return outcome
        }
        if active < shards.count {
            _ = self.active.compareExchange(expected: active, desired: active + 1, ordering: .relaxed)
        }
        return shards[first].state.withLock { $0.record(record, observation, settings) }
    }

    /// What was recorded.
    ///
    /// - Parameter temporality: All since the recorder began, or what was recorded since the last delta, which is taken by that: the next
    ///   delta begins where this one ends.
    public func snapshot(_ temporality: MetricsSnapshot.Temporality = .cumulative) -> MetricsSnapshot {
        history.withLock { history in
            switch temporality {
            case .cumulative:
                var result = history.taken
                if let left = history.left { result.merge(left) }
                history.assembly.add(shards.map(\.copy), to: &result)
                result.end = max(result.end, now())
                return result
            case .delta:
                var result = pending(&history) { $0.take(settings) }
                result.temporality = .delta
                history.lastDelta = result.end
                history.left = nil
                history.taken.merge(result)
                saving?.remove()
                return result
            }
        }
    }

    /// What no delta has taken yet, from the parts as `read` gives them.
    func pending(_ history: inout History, _ read: (MetricsShard) -> MetricsShard.State) -> MetricsSnapshot {
        let end = now()
        var result = MetricsSnapshot(
            start: history.lastDelta, end: max(end, history.lastDelta), temporality: .delta,
            labelName: settings.label?.name, seriesLimit: settings.seriesLimit)
        if let left = history.left { result.merge(left) }
        history.assembly.add(shards.map(read), to: &result)
        return result
    }

    /// The tasks that were kept of a route, as many as ``Options/samplesPerRoute`` allows; each of the route's tasks had the same chance.
    public func samples(route: String) -> [RequestTiming] {
        let parts = shards.map(\.copy)
        let names = history.withLock { $0.assembly.names(parts) }
        var kept: [(lot: UInt64, timing: RequestTiming)] = []
        for (part, names) in zip(parts, names) {
            for (number, name) in names.enumerated() where MetricsSnapshot.isSameRoute(name, route) {
                kept += part.reservoir.timings(route: Int32(number))
            }
        }
        kept.sort { $0.lot < $1.lot }
        return kept.prefix(settings.samplesPerRoute).map { sample in
            var timing = sample.timing
            // It may have got another name since.
            timing.route = route
            return timing
        }
    }
}

extension MetricsShard {
    /// What it has counted, still counting.
    var copy: State { state.withLock { $0 } }

    /// What it has counted; it begins anew, but for what it knows of routes and servers.
    func take(_ settings: MetricsSettings) -> State {
        state.withLock { state in
            let taken = state
            state.table = SeriesTable(settings.kind, limit: settings.seriesLimit)
            return taken
        }
    }
}
