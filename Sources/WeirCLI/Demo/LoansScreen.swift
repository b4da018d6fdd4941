import Foundation
import WeirClient

/// What the "My loans" screen of a library's app shows.
struct LoansScreen: Sendable, Hashable {
    var greeting: String
    var branch: String
    var loans: [LoanedBook]
    var openToday: String

    /// A row of the list.
    struct LoanedBook: Sendable, Hashable {
        var title: String
        var author: String
        var due: String
    }
}

extension LoansScreen {
    /// Loads the screen one await after another, as code grows when each part fetches what it needs.
    static func loadNaively(_ library: LibraryAPI) async throws -> LoansScreen {
        let user = try await library.user()
        let loans = try await library.loans()
        var books: [Book] = []
        for loan in loans {
            books.append(try await library.book(loan.bookID))
        }
        let hours = try await library.openingHours()
        // The header is a component of its own, and fetches the user again.
        let header = try await library.user()
        return LoansScreen(
            greeting: "Hello, \(header.name)", branch: user.branch, loans: rows(loans, books), openToday: hours.today)
    }

    /// Loads the same screen: what does not depend on each other at the same time, all books at once, nothing twice.
    static func load(_ library: LibraryAPI) async throws -> LoansScreen {
        async let user = library.user()
        async let hours = library.openingHours()
        let loans = try await library.loans()
        let books = try await library.books(loans.map(\.bookID))
        return LoansScreen(
            greeting: "Hello, \(try await user.name)", branch: try await user.branch, loans: rows(loans, books),
            openToday: try await hours.today)
    }

    private static func rows(_ loans: [Loan], _ books: [Book]) -> [LoanedBook] {
        let books = Dictionary(books.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return loans.compactMap { loan in
            books[loan.bookID].map { LoanedBook(title: $0.title, author: $0.author, due: loan.due) }
        }
    }
}

/// The covers of a shelf, all fetched at once: the session's connections decide how many are under way.
struct ThumbnailGrid: Sendable, Hashable {
    var images: [Data]

    static func load(count: Int, _ library: LibraryAPI) async throws -> ThumbnailGrid {
        try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            for index in 0..<count {
                group.addTask { (index, try await library.thumbnail(index)) }
            }
            var images = Array(repeating: Data(), count: count)
            for try await (index, image) in group { images[index] = image }
            return ThumbnailGrid(images: images)
        }
    }
}
