import Foundation
import Synchronization
public import WeirModel

/// Hands each finished task to a closure, flat and with nothing personal.
///
/// ```swift
/// let observer = TimingObserver { timing in
///     crashReporter.leaveBreadcrumb("\(timing.method) \(timing.url) \(timing.statusCode ?? 0) \(Int(timing.total)) ms")
/// }
/// ```
public final class TimingObserver: TaskObserver {
    private struct State {
        var routes: RouteIndex
        var slow: SlowJudge
    }

    private let sampling: Sampling
    private let label: MetricsLabel?
    private let state: Lock<State>
    private let body: @Sendable (RequestTiming) -> Void

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - route: How requests get the names of their routes.
    ///   - sampling: Which tasks to tell of; all without it.
    ///   - slow: Which tasks count as slow.
    ///   - label: The app's own dimension.
    ///   - body: Is called on the thread that the task ended on; it should return quickly.
    public init(
        route: RouteNaming = .automatic, sampling: Sampling = .all, slow: SlowRule = .default,
        label: MetricsLabel? = nil, _ body: @escaping @Sendable (_ timing: RequestTiming) -> Void
    ) {
        self.sampling = sampling
        self.label = label
        self.body = body
        state = Lock(State(routes: RouteIndex(route), slow: SlowJudge(slow)))
    }

    /// Tells of a finished task.
    public func taskDidFinish(_ record: TaskRecord) {
        var observation = Observation(record)
        if let label { observation.traits.label = label.code(of: record) }
        let status = observation.traits.status
        let isFailed = record.failure != nil || status >= 500
        let told: (route: String, isSlow: Bool)? = state.withLock { state in
            let route =
                record.transactions.first.map { state.routes.route(of: $0.request.url, isNotFound: status == 404) }
                ?? RouteIndex.other
            let isSlow = state.slow.isSlow(observation.times[0], route: route)
            guard sampling.keeps(id: record.id, isSlow: isSlow, isFailed: isFailed) else { return nil }
            return (state.routes.name(of: route), isSlow)
        }
        guard let told else { return }
        body(RequestTiming(record, observation, route: told.route, labels: label, isSlow: told.isSlow))
    }
}
