/// A queue of events by time; those at one time in the order in which they were inserted.
struct EventQueue<Event> {
    private var items: [(time: Double, order: Int, event: Event)] = []
    private var count = 0

    /// The time of the first event; nil when there is none.
    var firstTime: Double? { items.first?.time }

    mutating func insert(_ event: Event, at time: Double) {
        items.append((time, count, event))
        count += 1
        var child = items.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(child, parent) else { break }
            items.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> (time: Double, event: Event)? {
        guard !items.isEmpty else { return nil }
        items.swapAt(0, items.count - 1)
        let result = items.removeLast()
        var parent = 0
        while true {
            let left = 2 * parent + 1
            let right = left + 1
            var first = parent
            if left < items.count, isBefore(left, first) { first = left }
            if right < items.count, isBefore(right, first) { first = right }
            guard first != parent else { return (result.time, result.event) }
            items.swapAt(parent, first)
            parent = first
        }
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        items[a].time != items[b].time ? items[a].time < items[b].time : items[a].order < items[b].order
    }
}

/// A link whose rate all transfers under way share in equal parts.
struct SharedLink {
    /// In bytes per millisecond.
    let rate: Double
    /// Counts the changes: an end that was foreseen before the last one does not hold.
    private(set) var generation = 0
    /// When the next transfer ends if none begins before.
    private(set) var nextEnd = 0.0

    /// What each transfer that is under way since the start would have got so far.
    private var share = 0.0
    private var now = 0.0
    private var count = 0
    /// The transfers, by the share at which each is done.
    private var waiting = EventQueue<Int>()

    init(rate: Double) { self.rate = max(rate, 1e-6) }

    var isBusy: Bool { count > 0 }

    mutating func begin(_ index: Int, _ bytes: Double, at time: Double) {
        advance(to: time)
        waiting.insert(index, at: share + bytes)
        count += 1
        foresee()
    }

    /// Ends the transfer that is done.
    mutating func end(at time: Double) -> Int? {
        advance(to: time)
        guard let index = waiting.removeFirst()?.event else { return nil }
        count -= 1
        foresee()
        return index
    }

    private mutating func advance(to time: Double) {
        if count > 0 { share += (time - now) * rate / Double(count) }
        now = time
    }

    private mutating func foresee() {
        generation += 1
        if let first = waiting.firstTime { nextEnd = now + max(0, first - share) * Double(count) / rate }
    }
}
