public import WeirMetrics

/// Something that takes snapshots of a recorder out of the process.
///
/// A snapshot holds routes, counts and distributions and nothing personal, so an exporter need not redact. Conform a type of
/// your own to it to reach a system that Weir does not know:
///
/// ```swift
/// struct LogExporter: MetricsExporter {
///     func export(_ snapshot: MetricsSnapshot) {
///         for series in snapshot.series { print(series.key.route, series.distributions.total?.percentile(0.95) ?? 0) }
///     }
/// }
/// ```
public protocol MetricsExporter: Sendable {
    /// Takes a snapshot.
    ///
    /// It returns at once: work and waiting are the exporter's own. Give an exporter either all delta snapshots of a
    /// recorder or cumulative ones, as it says it wants them, and not both.
    func export(_ snapshot: MetricsSnapshot)

    /// Waits until what was taken has been sent, or cannot be sent now; the default does nothing.
    nonisolated(nonsending) func flush() async
}

extension MetricsExporter {
    /// Does nothing.
    public nonisolated(nonsending) func flush() async {}
}
