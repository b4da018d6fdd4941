import Foundation

/// A URL path with its identifiers replaced, such as `books/:id`.
///
/// A segment is literal text, `:name` or `*` (one segment, not empty), or `**` (any number of segments, also none).
/// Leading and trailing slashes do not count; letters are compared exactly, after percent-decoding.
public struct RouteTemplate: Sendable, Hashable {
    /// The template, as written.
    public let text: String
    package let segments: [Segment]

    /// A part of a template.
    package enum Segment: Sendable, Hashable {
        /// This text.
        case literal(String)
        /// Any one segment.
        case one
        /// Any number of segments.
        case any
    }

    /// Reads a template.
    ///
    /// Every text is a template.
    public init(_ text: String) {
        self.text = text
        segments = text.split(separator: "/").map { segment in
            switch segment {
            case "**": .any
            case "*": .one
            case let segment where segment.hasPrefix(":") && segment.count > 1: .one
            default: .literal(String(segment))
            }
        }
    }

    /// Whether a path (without query) matches.
    ///
    /// Complexity: O(segments of both) without `**`, their product with it.
    public func matches(path: Substring) -> Bool {
        let path = path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        return matches(path[...], segments[...])
    }

    private func matches(_ path: ArraySlice<String>, _ pattern: ArraySlice<Segment>) -> Bool {
        // A set of reachable pattern positions, so that several `**` stay polynomial.
        var reachable = closure([pattern.startIndex], pattern)
        for segment in path {
            var next: Set<Int> = []
            for position in reachable where position < pattern.endIndex {
                switch pattern[position] {
                case .literal(let text): if text == segment { next.insert(position + 1) }
                case .one: next.insert(position + 1)
                case .any: next.insert(position)
                }
            }
            reachable = closure(next, pattern)
            if reachable.isEmpty { return false }
        }
        return reachable.contains(pattern.endIndex)
    }

    private func closure(_ positions: Set<Int>, _ pattern: ArraySlice<Segment>) -> Set<Int> {
        var result = positions
        for var position in positions {
            while position < pattern.endIndex, pattern[position] == .any {
                position += 1
                result.insert(position)
            }
        }
        return result
    }
}

extension RouteTemplate {
    /// Whether this is the more specific of two templates that match one path.
    ///
    /// The first segment in which they differ decides: text before `:id` and `*`, those before the end, and the end before `**`.
    package func isMoreSpecific(than other: RouteTemplate) -> Bool {
        for place in 0..<max(segments.count, other.segments.count) {
            let (mine, others) = (rank(place), other.rank(place))
            if mine != others { return mine < others }
        }
        return false
    }

    private func rank(_ place: Int) -> Int {
        guard place < segments.count else { return 2 }
        switch segments[place] {
        case .literal: return 0
        case .one: return 1
        case .any: return 3
        }
    }
}

extension RouteTemplate: CustomStringConvertible {
    /// The template, as written.
    public var description: String { text }
}
