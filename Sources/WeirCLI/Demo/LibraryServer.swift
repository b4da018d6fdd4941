import Foundation
import WeirModel
import WeirServer

/// The library's web service, embedded: each answer takes as long as one over a mobile network.
enum LibraryServer {
    /// From the last byte of a request to the first of its answer.
    static let latency = Duration.milliseconds(60)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - catalogue: What the library has.
    ///   - isCompressed: Whether content coding is on.
    ///   - latency: From the last byte of a request to the first of its answer.
    ///   - link: The network between it and the screen, or nil for this machine's.
    static func start(
        _ catalogue: Catalogue = Catalogue(), isCompressed: Bool, latency: Duration = latency, link: LinkProfile? = nil
    ) async throws -> LocalServer {
        var options = LocalServer.Options()
        if isCompressed { options.contentCodings = [.br, .gzip] }
        return try await LocalServer.start(options: options, link: link) { request in
            try answer(request, from: catalogue).delayed(by: latency)
        }
    }

    private static func answer(
        _ request: LocalServer.Request, from catalogue: Catalogue
    ) throws -> LocalServer.Response {
        let path = request.path.split(separator: "/").map(String.init)
        switch (path.first, path.dropFirst().first) {
        case ("me", nil): return try json(catalogue.user)
        case ("loans", nil): return try json(catalogue.loans)
        case ("hours", nil): return try json(catalogue.hours)
        case ("books", nil):
            let ids = request.query["ids"]?.split(separator: ",").map(String.init) ?? []
            return try json(ids.compactMap { catalogue.books[$0] })
        case ("books", let id?):
            guard let book = catalogue.books[id] else { break }
            return try json(book)
        case ("covers", let id?):
            guard let book = catalogue.books.index(forKey: id) else { break }
            let index = catalogue.books.distance(from: catalogue.books.startIndex, to: book)
            return .data(Catalogue.thumbnail(index, size: 3_000), type: "image/webp")
        case ("thumbnails", let index?):
            guard let index = Int(index) else { break }
            return .data(Catalogue.thumbnail(index), type: "image/webp")
        default: break
        }
        return .text("not found", status: 404)
    }

    private static func json(_ value: some Encodable) throws -> LocalServer.Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
