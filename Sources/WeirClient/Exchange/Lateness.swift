import WeirModel

/// The worst lateness of a thread, in nanoseconds, since some moment: a sliding maximum in constant memory.
struct Lateness {
    private typealias Entry = (at: Moment, lateness: Int64)
    private static let limit = 64

    /// Falling from the worst to the latest: what is older and smaller than another can never be the answer.
    private var entries: [Entry] = []

    /// Notes that the thread was late by so much.
    mutating func note(_ lateness: Int64, at now: Moment) {
        while let last = entries.last, last.lateness <= lateness { entries.removeLast() }
        entries.append((now, lateness))
        // The oldest stay: they are the worst.
        if entries.count > Self.limit { entries.remove(at: entries.count - 2) }
    }

    /// The worst lateness noted since then, zero when there was none.
    func worst(since start: Moment) -> Int64 {
        // From the latest on: most tasks began a moment ago.
        var index = entries.count
        while index > 0, entries[index - 1].at >= start { index -= 1 }
        return index < entries.count ? entries[index].lateness : 0
    }
}
