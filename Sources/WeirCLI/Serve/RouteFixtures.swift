import Foundation
import Synchronization
import WeirModel
import WeirReports
import WeirServer

/// The routes of a file, read anew when the file changes.
///
/// A file that cannot be read any more, or has a mistake in it, leaves the routes as they were, and is told once.
final class RouteFixtures: Fixtures {
    private struct State {
        var stamp: FileStamp?
        var routes: [Route] = []
        /// How often each route has answered.
        var counts: [Int: Int] = [:]
    }

    private let path: String
    private let folder: String
    private let complain: @Sendable (String) -> Void
    private let state = Lock(State())

    /// Reads the routes.
    ///
    /// - Parameter complain: Gets a line when the file has changed, and one that says what is wrong with it.
    init(path: String, complain: @escaping @Sendable (String) -> Void) throws(CommandFailure) {
        self.path = path
        folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        self.complain = complain
        let stamp = FileStamp(path: path)
        let routes = try Self.read(path)
        state.withLock { $0 = State(stamp: stamp, routes: routes) }
    }

    private static func read(_ path: String) throws(CommandFailure) -> [Route] {
        let data: Data
        guard FileStamp.isFile(path) else {
            // Opening a pipe would wait for someone who writes to it.
            throw CommandFailure("cannot read \(PrintableText(path)): it is not a file", status: .badInput)
        }
        do {
            data = try FileInput.read(path: path, limit: 64 << 20)
        } catch {
            throw CommandFailure("cannot read \(PrintableText(path)): \(error)", status: .badInput)
        }
        do throws(RouteFile.Problem) {
            return try RouteFile(Array(data)).routes
        } catch {
            throw CommandFailure("\(PrintableText(path)), \(error)", status: .badInput)
        }
    }

    var summary: String {
        let count = state.withLock { $0.routes.count }
        return "\(count) \(count == 1 ? "route" : "routes") of \(path)"
    }

    private func reload() {
        let stamp = FileStamp(path: path)
        let isChanged = state.withLock { state in
            defer { state.stamp = stamp }
            return state.stamp != stamp
        }
        guard isChanged else { return }
        do throws(CommandFailure) {
            let routes = try Self.read(path)
            state.withLock { state in
                state.routes = routes
                state.counts = [:]
            }
            complain("weir: \(PrintableText(path)) has changed: \(routes.count) routes\n")
        } catch {
            complain("weir: \(error); the routes stay as they were\n")
        }
    }

    @concurrent func answer(_ request: LocalServer.Request) async -> LocalServer.Response {
        reload()
        let (routes, chosen) = state.withLock { state -> ([Route], (Route.Answer, RoutePattern, [String: String])?) in
            for (index, route) in state.routes.enumerated() {
                guard let names = route.match(request) else { continue }
                let count = state.counts[index, default: 0]
                var turn = count
                if count >= route.answers.count {
                    switch route.afterLast {
                    case .last: turn = route.answers.count - 1
                    case .repeat: turn = count % route.answers.count
                    case .none: continue
                    }
                }
                state.counts[index] = count + 1
                return ([], (route.answers[turn], route.pattern, names))
            }
            return (state.routes, nil)
        }
        guard let (answer, pattern, names) = chosen else { return Self.missing(request, routes) }
        if let directory = answer.directory {
            return await files(directory, pattern, answer, request)
        }
        return response(answer, names)
    }

    private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

    private func files(
        _ directory: String, _ pattern: RoutePattern, _ answer: Route.Answer, _ request: LocalServer.Request
    ) async -> LocalServer.Response {
        guard let files = FileFixtures(directory: absolute(directory), prefix: pattern.prefix ?? "") else {
            return .problem(404, "The directory \(directory) of the route \(pattern.text) is not there.")
        }
        var response = await files.answer(request)
        response.headers += answer.headers
        response.delay = .microseconds(Int64(answer.delay * 1000))
        return response
    }

    private func response(_ answer: Route.Answer, _ names: [String: String]) -> LocalServer.Response {
        let delay = Duration.microseconds(Int64(answer.delay * 1000))
        switch answer.fault {
        case .reset: return .unframed([.reset], delay: delay)
        case .close: return .unframed([.close], delay: delay)
        case .garbage: return .unframed([.raw("\u{1}\u{2}no HTTP at all\r\n\r\n"), .close], delay: delay)
        case nil: break
        }
        var pieces: [LocalServer.Response.Piece] = []
        for part in answer.body {
            switch part {
            case .text(let text): pieces.append(.text(Self.insert(names, into: text, isJSON: answer.isJSON)))
            case .bytes(let bytes): pieces.append(.bytes(bytes))
            case .filler(let count): pieces.append(.bytes(Self.filler(count)))
            case .pause(let milliseconds): pieces.append(.pause(.microseconds(Int64(milliseconds * 1000))))
            case .raw(let text): pieces.append(.raw(text))
            case .fault(.close), .fault(.garbage): pieces.append(.close)
            case .fault(.reset): pieces.append(.reset)
            case .file(let path):
                do {
                    pieces.append(.bytes(try FileInput.read(path: absolute(path), limit: 256 << 20)))
                } catch {
                    return .problem(500, "The file \(path) of this route cannot be read: \(error).")
                }
            }
        }
        return LocalServer.Response(
            status: answer.status, headers: answer.headers, body: pieces, chunked: answer.isChunked, delay: delay)
    }

    /// Text with what the path's names stand for in place of `{:name}`.
    static func insert(_ names: [String: String], into text: String, isJSON: Bool) -> String {
        guard !names.isEmpty, text.utf8.contains(UInt8(ascii: "{")) else { return text }
        var result = text
        for (name, value) in names {
            var shown = value
            if isJSON, let data = try? JSONEncoder().encode(value) {
                shown = String(String(decoding: data, as: UTF8.self).dropFirst().dropLast())
            }
            result = result.replacingOccurrences(of: "{:\(name)}", with: shown)
        }
        return result
    }

    /// So many bytes of text that does not compress to nothing, the same each time.
    static func filler(_ count: Int) -> [UInt8] {
        var state: UInt32 = 0x9E37_79B9
        return (0..<count).map { index in
            if index % 80 == 79 { return 0x0A }
            state = state &* 1_664_525 &+ 1_013_904_223
            return 0x61 + UInt8(state >> 24) % 26
        }
    }

    /// 404, or 405, with what is near.
    static func missing(_ request: LocalServer.Request, _ routes: [Route]) -> LocalServer.Response {
        let methods = routes.filter { $0.matchPath(request) != nil }.compactMap(\.method)
        if !methods.isEmpty, !methods.contains(request.method) {
            let allowed = Array(Set(methods)).sorted()
            return .problem(
                405, "The route for \(request.path) takes \(ParsedArguments.list(allowed)), not \(request.method)."
            )
            .adding("Allow", allowed.joined(separator: ", "))
        }
        let near = EditDistance.nearest(to: request.path, in: routes.map(\.pattern.text))
        let known = routes.prefix(20).map(\.pattern.text).joined(separator: ", ")
        let hint =
            near.map { "Did you mean \($0)?" } ?? (known.isEmpty ? "There are no routes." : "There are: \(known).")
        return .problem(404, "No route takes \(request.method) \(request.path). \(hint)")
    }
}
