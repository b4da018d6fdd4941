import Synchronization
import WeirModel

extension MetricsRecorder {
    /// A percentile of a route since the recorder began, in milliseconds; nil where nothing was recorded.
    ///
    /// See ``MetricsSnapshot/percentile(_:of:route:where:)``. To ask for several, take one ``snapshot(_:)`` and ask that.
    public func percentile(
        _ fraction: Double, of measure: KeyPath<Distributions, Distribution?>, route: String? = nil,
        where segments: (Segment) -> Bool = { $0.source == .network || $0.source == .push }
    ) -> Double? {
        snapshot().percentile(fraction, of: measure, route: route, where: segments)
    }

    /// The share of a route's exchanges that found a connection, 0 to 1; nil where none is known.
    public func reuseRate(route: String? = nil) -> Double? { snapshot().counters(route: route).reuseRate }

    /// Adds what another recorder has measured, as if it had been recorded here.
    public func merge(_ snapshot: MetricsSnapshot) {
        history.withLock { history in
            if history.left == nil {
                history.left = snapshot
                history.left?.seriesLimit = settings.seriesLimit
            } else {
                history.left?.merge(snapshot)
            }
        }
    }
}
