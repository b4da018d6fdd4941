import Foundation
import Testing
import WeirStreams

@Suite struct FilePiecesTests {
    @Test func fileIsReadAsMessages() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "weir-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: url) }
        let lines = (0..<20_000).map { "line \($0)" }
        try Data(lines.joined(separator: "\n").utf8).write(to: url)
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        var found: [String] = []
        for try await line in handle.pieces.streamed.lines() { found.append(line) }
        #expect(found == lines)
    }

    @Test func pipeIsReadWhileItIsWritten() async throws {
        let pipe = Pipe()
        var lines = pipe.fileHandleForReading.pieces.streamed.lines().makeAsyncIterator()
        for number in 1...3 {
            try pipe.fileHandleForWriting.write(contentsOf: Data("line \(number)\nbegin".utf8))
            let line = try await lines.next()
            #expect(line == (number == 1 ? "line 1" : "beginline \(number)"))
        }
        try pipe.fileHandleForWriting.close()
        #expect(try await lines.next() == "begin")
        #expect(try await lines.next() == nil)
    }

    @Test func cancelledTaskStopsWaiting() async throws {
        let pipe = Pipe()
        let reading = Task {
            var lines = pipe.fileHandleForReading.pieces.streamed.lines().makeAsyncIterator()
            return try await lines.next()
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func closedHandleIsAnError() async throws {
        let pipe = Pipe()
        let pieces = pipe.fileHandleForWriting.pieces
        var iterator = pieces.makeAsyncIterator()
        // The end of a pipe that is written to cannot be read.
        await #expect(throws: POSIXError.self) {
            try pipe.fileHandleForReading.close()
            return try await iterator.next()
        }
    }
}
