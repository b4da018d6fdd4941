import Foundation
import Weir
import WeirServer

// From a server of this process over a session to messages.
extension StreamBenchmark {
    /// Measures the wall time of a body of 64 MiB from the response's head to its last message, the median of five.
    static func loopback(_ shape: Shape, isMain: Bool, folder: String) async throws -> Measurement {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: shape.file)))
        let server = try await LocalServer.start { _ in LocalServer.Response(body: [.bytes(bytes)]) }
        defer { server.stop() }
        let session = HTTPSession()
        var times: [Double] = []
        var count = 0
        for _ in 0..<5 {
            let (body, _) = try await session.bytes(from: server.baseURL)
            let stopwatch = Stopwatch()
            count = isMain ? try await readOnMain(body, shape) : try await read(body, shape)
            times.append(stopwatch.elapsed.wall)
        }
        session.invalidate()
        await session.drain()
        guard count > 100_000 else { throw Invalid("\(shape) gave \(count) messages") }
        return Measurement(
            "loopback", ["wall": times.percentile(0.5), "bytes": Double(bytes.count), "count": Double(count)])
    }

    @MainActor
    private static func readOnMain(_ body: HTTPSession.Bytes, _ shape: Shape) async throws -> Int {
        try await read(body, shape)
    }

    private nonisolated(nonsending) static func read(_ body: HTTPSession.Bytes, _ shape: Shape) async throws -> Int {
        switch shape {
        case .lines200: try await count(body.lines)
        case .ndjson200: try await count(body.messages(JSONLinesParser()))
        case .sequence: try await count(body.messages(JSONSequenceParser()))
        case .array: try await count(body.messages(JSONArrayParser()))
        case .events: try await count(body.serverSentEvents)
        default: throw Invalid("\(shape.rawValue) is not measured over loopback")
        }
    }

    private nonisolated(nonsending) static func count<S: AsyncSequence>(_ sequence: S) async throws -> Int {
        var iterator = sequence.makeAsyncIterator()
        var count = 0
        while try await iterator.next(isolation: #isolation) != nil { count += 1 }
        return count
    }
}
