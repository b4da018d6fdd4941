import Synchronization

/// Counts calls and keeps their times.
final class Calls: Sendable {
    private let instants = Mutex<[ContinuousClock.Instant]>([])

    /// The number of this call, from 1.
    @discardableResult
    func next() -> Int {
        instants.withLock { instants in
            instants.append(.now)
            return instants.count
        }
    }

    /// The time between each call and the next one.
    var waits: [Duration] {
        let instants = instants.withLock { $0 }
        return zip(instants, instants.dropFirst()).map { $0.duration(to: $1) }
    }
}
