/// A queue of events by time; those at one time in the order in which they were inserted.
struct EventQueue<Event> {
    private var items: [Item] = []
    private var count = 0

    /// The time of the first event; nil when there is none.
    var firstTime: Double? { items.first?.time }

    /// Makes room for so many events.
    mutating func reserve(_ capacity: Int) { items.reserveCapacity(capacity) }

    mutating func insert(_ event: Event, at time: Double) {
        let item = Item(time: time, order: count, event: event)
        items.append(item)
        count += 1
        items.withUnsafeMutableBufferPointer { items in
            var child = items.count - 1
            while child > 0 {
                let parent = (child - 1) / 2
                guard item.isBefore(items[parent]) else { break }
                items[child] = items[parent]
                child = parent
            }
            items[child] = item
        }
    }

    mutating func removeFirst() -> (time: Double, event: Event)? {
        guard let first = items.first, let item = items.popLast() else { return nil }
        items.withUnsafeMutableBufferPointer { items in
            guard !items.isEmpty else { return }
            var parent = 0
            while true {
                var child = 2 * parent + 1
                guard child < items.count else { break }
                if child + 1 < items.count, items[child + 1].isBefore(items[child]) { child += 1 }
                guard items[child].isBefore(item) else { break }
                items[parent] = items[child]
                parent = child
            }
            items[parent] = item
        }
        return (first.time, first.event)
    }

    private struct Item {
        var time: Double
        var order: Int
        var event: Event

        func isBefore(_ other: Self) -> Bool { time != other.time ? time < other.time : order < other.order }
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
