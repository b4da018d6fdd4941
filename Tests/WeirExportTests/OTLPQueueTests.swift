import Foundation
import Testing

@testable import WeirExport

@Suite struct OTLPQueueTests {
    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func requestsSurviveInTheirOrder() async throws {
        try await Tools.withFolder { folder in
            var queue = try OTLPQueue(folder: folder.appending(path: "a/b"), byteLimit: 1000)
            for byte in 1...12 { #expect(try queue.add([UInt8(byte)]).removed == 0) }
            queue.remove(count: 1)
            var again = try OTLPQueue(folder: folder.appending(path: "a/b"), byteLimit: 1000)
            #expect(again.count == 11)
            #expect(again.first(3) == [[2], [3], [4]])
            _ = try again.add([99])
            #expect(again.first(100).last == [99])
            again.remove(count: 100)
            #expect(again.count == 0)
            #expect(try files(folder.appending(path: "a/b")).isEmpty)
        }
    }

    @Test func theOldestMakeRoom() async throws {
        try await Tools.withFolder { folder in
            var queue = try OTLPQueue(folder: folder, byteLimit: 10, countLimit: 4)
            for byte in 1...3 { _ = try queue.add(Array(repeating: UInt8(byte), count: 3)) }
            #expect(try queue.add([4, 4, 4, 4]) == (1, 3))
            #expect(queue.first(9).map(\.first) == [2, 3, 4])
            #expect(try queue.add(Array(repeating: 5, count: 11)) == (0, 11))
            #expect(try files(folder).count == 3)
            var few = try OTLPQueue(folder: folder, byteLimit: 100, countLimit: 3)
            #expect(try few.add([6]) == (1, 3))
            #expect(few.count == 3)
        }
    }

    @Test func whatIsNoRequestIsLeftOrCleanedUp() async throws {
        try await Tools.withFolder { folder in
            for name in ["7.partial", "x.otlp.json", "+5.otlp.json", "notes.txt", "99999999999999999999999.otlp.json"] {
                try Data([1]).write(to: folder.appending(path: name))
            }
            var queue = try OTLPQueue(folder: folder, byteLimit: 100)
            #expect(queue.count == 0)
            let left = try files(folder)
            #expect(!left.contains("7.partial"))
            _ = try queue.add([1])
            try FileManager.default.removeItem(at: folder.appending(path: "00000000000000000001.otlp.json"))
            #expect(queue.first(1) == [[]])
            queue.remove(count: 1)
        }
    }

    @Test func aFolderThatCannotBeThereIsAnError() async throws {
        try await Tools.withFolder { folder in
            let file = folder.appending(path: "file")
            try Data().write(to: file)
            #expect(throws: (any Error).self) { _ = try OTLPQueue(folder: file.appending(path: "x"), byteLimit: 1) }
        }
    }
}
