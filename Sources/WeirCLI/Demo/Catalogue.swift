import Foundation

/// What the library has.
struct Catalogue: Sendable {
    let user = User(id: "u-1043", name: "Edith", branch: "Harbour")
    let hours = OpeningHours(branch: "Harbour", today: "09:00 to 20:00", tomorrow: "10:00 to 18:00")
    let loans: [Loan]
    let books: [String: Book]

    /// What the library has for someone who has lent one copy of each of some books.
    ///
    /// - Parameter count: How many books; those beyond the first five have three copies.
    init(loans count: Int = 5) {
        let titles = [
            ("The Left Hand of Darkness", "Ursula K. Le Guin"), ("Kindred", "Octavia E. Butler"),
            ("The Dispossessed", "Ursula K. Le Guin"), ("Parable of the Sower", "Octavia E. Butler"),
            ("A Wizard of Earthsea", "Ursula K. Le Guin"),
        ]
        let books = (0..<count).map { index in
            let title = titles[index % titles.count]
            let copies = index < titles.count && count <= titles.count ? 25 : 3
            return Book(
                id: "b-\(2041 + index * 17)", title: title.0, author: title.1,
                copies: Array(
                    repeating: Book.Copy(branch: "Harbour library", shelf: "Fiction", status: "available"),
                    count: copies))
        }
        self.books = Dictionary(books.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        loans = books.enumerated().map { index, book in
            Loan(bookID: book.id, due: "2026-12-\(10 + index * 3 % 21)", renewals: index % 2)
        }
    }

    /// Bytes that do not shrink, like those of an image.
    static func thumbnail(_ index: Int, size: Int = 1_024) -> Data {
        var state = UInt32(truncatingIfNeeded: index) &* 2_654_435_761 | 1
        return Data(
            (0..<size).map { _ in
                state ^= state << 13
                state ^= state >> 17
                state ^= state << 5
                return UInt8(truncatingIfNeeded: state)
            })
    }
}
