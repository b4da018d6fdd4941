import Foundation

/// The tracks of one process of a trace: slices that overlap without being nested need tracks of their own.
struct TraceLanes: Sendable {
    /// A track.
    struct Track: Equatable {
        /// Its thread id in the trace, unique in the process.
        var thread: Int
        /// Its number among those of its kind, from 1.
        var number: Int
        /// Whether it was made just now.
        var isNew: Bool
    }

    private struct Lane {
        var thread: Int
        /// The spans on it, by start.
        var spans: [(start: Date, end: Date)] = []

        /// Puts a span on the lane unless it overlaps another one.
        mutating func add(_ start: Date, _ end: Date) -> Bool {
            var low = 0
            var high = spans.count
            while low < high {
                let middle = (low + high) / 2
                if spans[middle].start <= start { low = middle + 1 } else { high = middle }
            }
            if low > 0, spans[low - 1].end > start { return false }
            if low < spans.count, spans[low].start < end { return false }
            spans.insert((start, end), at: low)
            return true
        }
    }

    private var tasks: [Lane] = []
    private var connections: [String: [Lane]] = [:]
    private var last = 0

    /// The track for a task.
    mutating func track(from start: Date, to end: Date) -> Track { Self.add(start, end, &tasks, &last) }

    /// The track for an exchange on a connection.
    mutating func lane(of connection: String, from start: Date, to end: Date) -> Track {
        Self.add(start, end, &connections[connection, default: []], &last)
    }

    private static func add(_ start: Date, _ end: Date, _ lanes: inout [Lane], _ last: inout Int) -> Track {
        for index in lanes.indices where lanes[index].add(start, end) {
            return Track(thread: lanes[index].thread, number: index + 1, isNew: false)
        }
        last += 1
        var lane = Lane(thread: last)
        _ = lane.add(start, end)
        lanes.append(lane)
        return Track(thread: last, number: lanes.count, isNew: true)
    }
}
