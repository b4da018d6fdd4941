import Foundation
import Weir

/// One large body through `bytes`, chunk by chunk.
enum DownloadBenchmark {
    /// Measures from the request to the end of the body, and what memory that takes.
    static func run(_ url: URL, bytes expected: Int, observer: SessionBenchmark.Observer) async throws -> Measurement {
        let audit = NetworkAudit()
        let session = HTTPSession(observers: observer == .audit ? [audit] : [])
        let stopwatch = Stopwatch()
        let (bytes, response) = try await session.bytes(from: url)
        guard response.statusCode == 200 else { throw Invalid("the status is \(response.statusCode), not 200") }
        var count = 0
        var chunks = 0
        // What the first tenth takes is taken for what is needed, and must do for the rest.
        var early = 0
        for try await chunk in bytes.chunks {
            count += chunk.count
            chunks += 1
            if early == 0, count > expected / 10 { early = Memory.peak }
        }
        let (wall, processor) = stopwatch.elapsed
        guard count == expected else { throw Invalid("\(count) bytes came, not \(expected)") }
        session.invalidate()
        await session.drain()
        return Measurement(
            "download",
            [
                "bytes": Double(count), "chunks": Double(chunks), "wall": wall, "processor": processor,
                "early": Double(early), "peak": Double(Memory.peak),
            ])
    }
}
