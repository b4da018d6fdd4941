/// Tells from a series of values, one for each interval, whether it has come to rest.
struct Stability: Sendable, Hashable {
    private let distance: Int
    private let tolerance: Double
    private var latest: [Double] = []
    /// How many values there were.
    private(set) var count = 0

    init(_ parameters: QualityParameters) {
        distance = max(1, parameters.movingAverageDistance)
        tolerance = parameters.tolerance
    }

    mutating func add(_ value: Double) {
        count += 1
        latest.append(value)
        if latest.count > distance { latest.removeFirst() }
    }

    /// Whether the standard deviation of the latest values, as many as the moving average's distance, is within the tolerance of
    /// the latest one.
    ///
    /// The draft does not say which deviation: here it is the population's.
    var isStable: Bool {
        guard latest.count == distance, let current = latest.last, current > 0 else { return false }
        let mean = latest.reduce(0, +) / Double(distance)
        let variance = latest.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(distance)
        return variance.squareRoot() < tolerance * current
    }

    /// What the draft calls the confidence in a stage that has come this far.
    var confidence: Confidence { isStable ? .high : count >= distance ? .medium : .low }

    /// How far a stage of the test came.
    enum Confidence: String, Sendable, Hashable {
        /// It came to rest.
        case high
        /// It had the time, and did not come to rest.
        case medium
        /// It was shorter than the moving average.
        case low
    }
}
