import Foundation
import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The library's web service, as an app calls it.
struct LibraryAPI: Sendable {
    let session: HTTPSession
    let baseURL: URL

    func user() async throws -> User { try await get("me") }

    func loans() async throws -> [Loan] { try await get("loans") }

    func openingHours() async throws -> OpeningHours { try await get("hours") }

    func book(_ id: String) async throws -> Book { try await get("books/\(id)") }

    func books(_ ids: [String]) async throws -> [Book] { try await get("books?ids=\(ids.joined(separator: ","))") }

    func thumbnail(_ index: Int) async throws -> Data { try await data("thumbnails/\(index)") }

    func cover(of book: String) async throws -> Data { try await data("covers/\(book)") }

    private func get<Value: Decodable>(_ path: String) async throws -> Value {
        try JSONDecoder().decode(Value.self, from: try await data(path))
    }

    private func data(_ path: String) async throws -> Data {
        guard let url = URL(string: path, relativeTo: baseURL)?.absoluteURL else { throw URLError(.badURL) }
        let (data, response) = try await session.data(from: url)
        guard response.statusCode == 200 else { throw URLError(.badServerResponse) }
        return data
    }
}

/// The person who is signed in.
struct User: Codable, Sendable, Hashable {
    var id: String
    var name: String
    var branch: String
}

/// A book that is lent to someone.
struct Loan: Codable, Sendable, Hashable {
    var bookID: String
    var due: String
    var renewals: Int
}

/// When the user's branch is open.
struct OpeningHours: Codable, Sendable, Hashable {
    var branch: String
    var today: String
    var tomorrow: String
}

/// A book, with all its copies.
struct Book: Codable, Sendable, Hashable {
    var id: String
    var title: String
    var author: String
    var copies: [Copy]

    /// One copy of a book.
    struct Copy: Codable, Sendable, Hashable {
        var branch: String
        var shelf: String
        var status: String
    }
}
