import WeirModel

/// At most one deadline for each key, and the earliest at hand.
///
/// A key whose deadline moves later keeps its place until it comes up; the owner looks again then. So the timeouts of
/// a busy connection, which move with every byte, cost nothing.
struct DeadlineHeap {
    private var heap: [(at: Moment, key: UInt64)] = []
    private var places: [UInt64: Int] = [:]

    var earliest: Moment? { heap.first?.at }

    /// Makes sure that the key comes up at that time or before.
    mutating func schedule(_ key: UInt64, at: Moment) {
        if let place = places[key] {
            guard at < heap[place].at else { return }
            heap[place].at = at
            siftUp(place)
        } else {
            heap.append((at, key))
            places[key] = heap.count - 1
            siftUp(heap.count - 1)
        }
    }

    mutating func remove(_ key: UInt64) {
        guard let place = places.removeValue(forKey: key) else { return }
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        places[last.key] = place
        siftUp(place)
        siftDown(place)
    }

    /// Takes out the key that came up, if one has.
    mutating func popDue(_ now: Moment) -> UInt64? {
        guard let first = heap.first, first.at <= now else { return nil }
        remove(first.key)
        return first.key
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0, heap[index].at < heap[(index - 1) / 2].at {
            swap(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].at < heap[least].at {
                least = child
            }
            if least == index { return }
            swap(index, least)
            index = least
        }
    }

    private mutating func swap(_ a: Int, _ b: Int) {
        heap.swapAt(a, b)
        places[heap[a].key] = a
        places[heap[b].key] = b
    }
}
