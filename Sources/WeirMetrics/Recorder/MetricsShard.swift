import Synchronization
import WeirModel

/// The part of a recorder that one thread at a time works in.
final class MetricsShard: Sendable {
    struct State: Sendable {
        var routes: RouteIndex
        var servers = ServerIndex()
        var table: SeriesTable
        var slow: SlowJudge
        var reservoir: TimingReservoir
    }

    /// What came of a task.
    struct Outcome {
        var isSlow: Bool
        /// The name of the route, where somebody wants to know.
        var route: String?
    }

    let state: Lock<State>
    /// Whether a thread records in it at the moment: a hint, since to ask a lock that is taken may cost a call of the system.
    private let isTaken = Atomic(false)

    init(_ settings: MetricsSettings) { state = Lock(State(settings)) }

    /// Adds a task to its series, unless another thread is at work here.
    func recordIfFree(
        _ record: TaskRecord, _ observation: Observation, _ settings: MetricsSettings
    ) -> Outcome? {
        if isTaken.load(ordering: .relaxed) { return nil }
        return state.withLockIfAvailable { state in
            isTaken.store(true, ordering: .relaxed)
            defer { isTaken.store(false, ordering: .relaxed) }
            return state.record(record, observation, settings)
        }
    }
}

extension MetricsShard.State {
    init(_ settings: MetricsSettings) {
        routes = RouteIndex(settings.naming)
        table = SeriesTable(settings.kind, limit: settings.seriesLimit)
        slow = SlowJudge(settings.slow)
        reservoir = TimingReservoir(limit: settings.samplesPerRoute, seed: 0)
    }

    /// Adds a task to its series.
    mutating func record(
        _ record: TaskRecord, _ observation: Observation, _ settings: MetricsSettings
    ) -> MetricsShard.Outcome {
        var route = RouteIndex.other
        var server: Int32 = 0
        let isNotFound = observation.traits.status == 404
        // Nothing is copied of the transaction and its URL: they have many parts that are counted.
        record.transactions.withUnsafeBufferPointer { transactions in
            guard transactions.count > 0 else { return }
            if routes.isCustom { route = routes.route(of: transactions[0].request.url, isNotFound: isNotFound) }
            let host = transactions[0].request.url.authorityHash
            var known: Int32? = settings.separatesServers ? nil : 0
            transactions[0].request.url.withBytes { whole, path in
                if !routes.isCustom {
                    route = routes.route(
                        ofPath: UnsafeRawBufferPointer(rebasing: whole[path]), isNotFound: isNotFound)
                }
                if known == nil { known = servers.known(host, isSecure: ServerIndex.isSecure(whole)) }
            }
            server = known ?? servers.server(of: transactions[0].request.url)
        }
        let isSlow = slow.isSlow(observation.times[0], route: route)
        table.record(observation, route: route, server: server, isSlow: isSlow)
        if reservoir.wants(record.id, route: route) {
            reservoir.keep(
                RequestTiming(
                    record, observation, route: routes.name(of: route), labels: settings.label, isSlow: isSlow),
                route: route)
        }
        let isTold = isSlow && settings.tellsSlow
        return MetricsShard.Outcome(isSlow: isSlow, route: isTold ? routes.name(of: route) : nil)
    }
}

/// What all parts of a recorder have in common.
struct MetricsSettings: Sendable {
    var naming: RouteNaming = .automatic
    var kind: SeriesTable.Kind = .exponential(maximumBuckets: 160, maximumScale: 7, zeroThreshold: 1e-6)
    var seriesLimit = 2_000
    var label: MetricsLabel?
    var slow: SlowRule = .default
    var tellsSlow = false
    var samplesPerRoute = 0
    var separatesServers = true
}
