import Foundation
import WeirAudit
import WeirClient

/// The "My loans" screen of someone with many loans: a list whose covers are loaded for the rows that are seen.
///
/// First the six rows that are visible, which is the first frame; then, while the list scrolls, each cover some rows before its row
/// comes into view: `ceil(v * T)` rows, with v rows scrolled in a second and T seconds to load what a screenful shows.
struct LazyLoansScreen: Sendable {
    /// The rows that are visible at once.
    static let visibleRows = 6
    /// The name of the mark that ends the first part.
    static let firstFrame = "first frame"

    let library: LibraryAPI
    /// Rows scrolled in a second.
    let speed: Double
    /// Whether covers are loaded before their rows come into view.
    let prefetches: Bool

    /// How a scroll from the first row to the last one went.
    struct Scroll: Sendable, Hashable {
        var rows: Int
        /// How many rows ahead covers were asked for.
        var distance: Int
        /// How many rows came into view before their cover was there.
        var blankRows: Int
    }

    /// Loads the screen, marks its first frame, and scrolls to its end.
    func run(_ audit: NetworkAudit) async throws -> Scroll {
        let clock = ContinuousClock()
        async let user = library.user()
        async let hours = library.openingHours()
        let loans = try await library.loans()
        let books = loans.map(\.bookID)
        // The covers need only the loans, so that they come together with the books.
        async let titles = library.books(books)
        let began = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in books.prefix(Self.visibleRows) {
                group.addTask { _ = try await library.cover(of: id) }
            }
            try await group.waitForAll()
        }
        _ = try await (user, hours, titles)
        audit.mark(Self.firstFrame)
        let load = began.duration(to: clock.now) / .seconds(1)
        let distance = prefetches ? Int((speed * load).rounded(.up)) : 0
        let blank = try await scroll(books, distance: distance, from: clock.now)
        return Scroll(rows: books.count, distance: distance, blankRows: blank)
    }

    /// Scrolls through the rows below the first screenful; gives how many had no cover when they came into view.
    private func scroll(_ books: [String], distance: Int, from start: ContinuousClock.Instant) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for (row, id) in books.enumerated().dropFirst(Self.visibleRows) {
                let isSeen = start + .seconds(Double(row - Self.visibleRows + 1) / speed)
                let isAskedFor = max(start, isSeen - .seconds(Double(distance) / speed))
                group.addTask {
                    try await Task.sleep(until: isAskedFor, clock: .continuous)
                    _ = try await library.cover(of: id)
                    return ContinuousClock.now > isSeen
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}
