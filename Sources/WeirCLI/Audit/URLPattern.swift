import Foundation
import Synchronization
import WeirModel

/// What `--exclude` takes: a part of a URL, a whole one with stars, or a regular expression.
struct URLPattern: Sendable {
    private enum Form: Sendable {
        case part([UInt8])
        case whole([[UInt8]])
        case expression(Search)
    }

    /// How long all searches of one expression together may take: what goes back and forth takes longer than anybody waits.
    static let searchLimit = Duration.seconds(5)

    /// Searches for an expression, and what they took so far.
    private final class Search: Sendable {
        let expression: NSRegularExpression
        let limit: Duration
        private let spent = Lock(Duration.zero)

        init(_ expression: NSRegularExpression, limit: Duration) {
            self.expression = expression
            self.limit = limit
        }

        var isOver: Bool { spent.withLock { $0 > limit } }

        /// Whether the expression is found; not, once the time is over.
        func finds(in text: String) -> Bool {
            let before = spent.withLock { $0 }
            let rest = limit - before
            guard rest >= .zero else { return false }
            let clock = ContinuousClock()
            let start = clock.now
            var isFound = false
            // A long search reports its progress, and can be stopped then.
            expression.enumerateMatches(
                in: text, options: [.reportProgress], range: NSRange(location: 0, length: text.utf16.count)
            ) { match, _, stop in
                isFound = isFound || match != nil
                if isFound || clock.now - start > rest { stop.pointee = true }
            }
            let taken = clock.now - start
            spent.withLock { $0 += taken }
            return isFound
        }
    }

    private let form: Form
    /// The pattern as it was given.
    let text: String

    /// Reads a pattern; nil for an expression that is none.
    ///
    /// - Parameters:
    ///   - text: The pattern.
    ///   - limit: How long all searches of an expression together may take.
    init?(_ text: String, searchLimit limit: Duration = searchLimit) {
        self.text = text
        if text == "re:" {
            // Nothing is found in anything.
            form = .part([])
        } else if text.utf8.starts(with: "re:".utf8) {
            guard let expression = try? NSRegularExpression(pattern: String(text.dropFirst(3))) else { return nil }
            form = .expression(Search(expression, limit: limit))
        } else if text.utf8.contains(UInt8(ascii: "*")) {
            form = .whole(
                text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init))
        } else {
            form = .part(Array(text.utf8))
        }
    }

    /// Whether a URL fits.
    ///
    /// Complexity: O(URL x pattern) without an expression; with one, until ``isOverdue``.
    func matches(_ url: String) -> Bool {
        switch form {
        case .part(let part): Self.find(part, in: Array(url.utf8)[...]) != nil
        case .whole(let parts): Self.matches(parts, Array(url.utf8)[...])
        case .expression(let search): search.finds(in: url)
        }
    }

    /// Whether its searches took longer than they may, so that what they found is not all.
    var isOverdue: Bool { if case .expression(let search) = form { search.isOver } else { false } }

    /// The first and last part are fixed at the ends; those between are found from the left, each as early as it can be.
    private static func matches(_ parts: [[UInt8]], _ url: ArraySlice<UInt8>) -> Bool {
        guard let first = parts.first, let last = parts.last, url.starts(with: first) else { return false }
        var rest = url.dropFirst(first.count)
        guard rest.count >= last.count, rest.suffix(last.count).elementsEqual(last) else { return false }
        rest = rest.dropLast(last.count)
        for part in parts.dropFirst().dropLast() {
            guard let found = find(part, in: rest) else { return false }
            rest = rest[(found + part.count)...]
        }
        return true
    }

    private static func find(_ part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= part.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - part.count)).first { bytes[$0...].starts(with: part) }
    }
}
