import Foundation
import WeirServer

/// The library's web service, embedded: each answer takes as long as one over a mobile network.
enum LibraryServer {
    /// From the last byte of a request to the first of its answer.
    static let latency = Duration.milliseconds(60)

    /// Starts a server.
    ///
    /// - Parameter isCompressed: Whether content coding is on.
    static func start(isCompressed: Bool) async throws -> LocalServer {
        var options = LocalServer.Options()
        if isCompressed { options.contentCodings = [.br, .gzip] }
        let catalogue = Catalogue()
        return try await LocalServer.start(options: options) { request in
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
