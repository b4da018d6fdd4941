/// The rounds of a set of intervals: how many of them had to follow each other.
///
/// depth(B) = 1 + the depth of the interval that ended last before B started, or 1 if none did; the rounds are the
/// largest depth. "Before" means B.start >= A.end - the clock's resolution, with A earlier in order of start.
struct RoundCount {
    struct Interval {
        var start: Double
        var end: Double
        /// The record that the interval is of.
        var owner: Int
    }

    /// The rounds; 0 without intervals.
    private(set) var depth = 0
    /// The owners along a chain of that length, first to last.
    private(set) var chain: [Int] = []

    private struct Ended {
        var end: Double
        var depth: Int
        var position: Int
    }

    /// Counts the rounds.
    ///
    /// Complexity: O(n log k) for k intervals open at once, after a sort if one is needed.
    init(_ intervals: [Interval], resolution: Double) {
        guard !intervals.isEmpty else { return }
        var intervals = intervals
        if !zip(intervals, intervals.dropFirst()).allSatisfy({ $0.start <= $1.start }) {
            intervals.sort { ($0.start, $0.end) < ($1.start, $1.end) }
        }
        var open = EndHeap()
        var latest: Ended?
        var predecessors = [Int32](repeating: -1, count: intervals.count)
        var deepest: (depth: Int, position: Int) = (0, 0)
        for (position, interval) in intervals.enumerated() {
            while let first = open.first, first.end - resolution <= interval.start {
                let ended = open.removeFirst()
                // Those that end together: the deepest of them counts.
                if latest.map({ ($0.end, $0.depth) < (ended.end, ended.depth) }) ?? true { latest = ended }
            }
            let depth = 1 + (latest?.depth ?? 0)
            if let latest { predecessors[position] = Int32(clamping: latest.position) }
            open.insert(.init(end: interval.end, depth: depth, position: position))
            if depth > deepest.depth { deepest = (depth, position) }
        }
        depth = deepest.depth
        var position = deepest.position
        while position >= 0 {
            chain.append(intervals[position].owner)
            position = Int(predecessors[position])
        }
        chain.reverse()
    }

    /// A binary heap by end, earliest first.
    private struct EndHeap {
        private var items: [Ended] = []

        var first: Ended? { items.first }

        mutating func insert(_ item: Ended) {
            items.append(item)
            var child = items.count - 1
            while child > 0 {
                let parent = (child - 1) / 2
                guard items[child].end < items[parent].end else { break }
                items.swapAt(child, parent)
                child = parent
            }
        }

        /// The caller has seen that there is one.
        mutating func removeFirst() -> Ended {
            items.swapAt(0, items.count - 1)
            let result = items.removeLast()
            var parent = 0
            while true {
                var smallest = parent
                let left = 2 * parent + 1
                let right = left + 1
                if left < items.count, items[left].end < items[smallest].end { smallest = left }
                if right < items.count, items[right].end < items[smallest].end { smallest = right }
                guard smallest != parent else { return result }
                items.swapAt(parent, smallest)
                parent = smallest
            }
        }
    }
}
