public import Foundation
import WeirModel

extension MetricsRecorder {
    /// How distributions are held.
    public enum Buckets: Sendable, Hashable {
        /// Exponential ones: exact merging, and an error of at most 2.2 % for a range of 1 to 1000, 4.3 % for one to a million.
        ///
        /// - Parameter maximum: The most buckets of one distribution, 2 or more.
        case exponential(maximum: Int)
        /// Those with these upper ends, in milliseconds, and one more for what is over the last.
        case fixed(milliseconds: [Double])
    }

    /// Limits, buckets, labels, and what counts as slow.
    public struct Options: Sendable {
        /// How distributions are held.
        public var buckets: Buckets = .exponential(maximum: 160)
        /// The most series, 1 or more; requests that would need more are counted in one overflow series.
        public var seriesLimit = 2_000
        /// The app's own dimension, such as the name of a screen; nil for none.
        public var label: MetricsLabel?
        /// Which requests are slow.
        public var slow: SlowRule = .default
        /// Is called for each slow request, on the thread that recorded it, with nothing personal: for a breadcrumb.
        public var onSlow: (@Sendable (_ timing: RequestTiming) -> Void)?
        /// How many tasks of each route to keep one by one, for ``MetricsRecorder/samples(route:)``.
        public var samplesPerRoute = 0
        /// Whether requests to different servers are told apart.
        public var separatesServers = true
        /// Where to keep what was recorded, so that it survives the app; nil for nowhere.
        public var saving: SavingOptions?

        /// Makes the defaults.
        public init() {}

        func settings(_ naming: RouteNaming) -> MetricsSettings {
            var settings = MetricsSettings(naming: naming)
            switch buckets {
            case .exponential(let maximum):
                settings.kind = .exponential(maximumBuckets: maximum, maximumScale: 7, zeroThreshold: 1e-6)
            case .fixed(let milliseconds): settings.kind = .fixed(boundaries: milliseconds.map { $0 / 1000 })
            }
            settings.seriesLimit = max(1, seriesLimit)
            settings.label = label
            settings.slow = slow
            settings.tellsSlow = onSlow != nil
            settings.samplesPerRoute = max(0, samplesPerRoute)
            settings.separatesServers = separatesServers
            return settings
        }
    }

    /// Where and how often what was recorded is saved.
    public struct SavingOptions: Sendable {
        /// The file, of this recorder alone; its folder must exist.
        public var file: URL
        /// The time between two savings: what a crash can lose at most.
        public var interval: Duration
        /// Is called when a file cannot be read or written; what is recorded goes on.
        public var onProblem: (@Sendable (MetricsFile.Problem) -> Void)?

        /// Makes options.
        ///
        /// - Parameters:
        ///   - file: The file; its folder must exist.
        ///   - interval: The time between two savings; less than a tenth of a second counts as that.
        ///   - onProblem: Is called when a file cannot be read or written.
        public init(
            file: URL, interval: Duration = .seconds(60),
            onProblem: (@Sendable (_ problem: MetricsFile.Problem) -> Void)? = nil
        ) {
            self.file = file
            self.interval = interval
            self.onProblem = onProblem
        }
    }
}
