import Foundation
import Testing

@testable import WeirCLI

@Suite struct FileInputTests {
    @Test func files() throws {
        let scratch = try Scratch()
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let path = try scratch.file("data", data)
        #expect(try FileInput.read(path: path, limit: 200_000) == data)
        #expect(throws: FileInput.Failure.tooLarge(limit: 199_999)) {
            try FileInput.read(path: path, limit: 199_999)
        }
        #expect(throws: FileInput.Failure.isDirectory) { try FileInput.read(path: scratch.path, limit: 1) }
        #expect(throws: FileInput.Failure.system(code: ENOENT)) { try FileInput.read(path: path + "x", limit: 1) }
        #expect(throws: FileInput.Failure.system(code: ENOENT)) { try FileInput.read(path: "", limit: 1) }
    }

    @Test func pipes() throws {
        let pipe = Pipe()
        let data = Data(repeating: 7, count: 10_000)
        try pipe.fileHandleForWriting.write(contentsOf: data)
        try pipe.fileHandleForWriting.close()
        #expect(try FileInput.read(descriptor: pipe.fileHandleForReading.fileDescriptor, limit: 10_000) == data)
    }

    @Test func cancellationEndsTheWait() async {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let task = Task.detached { try FileInput.read(descriptor: descriptor, limit: 10) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        withExtendedLifetime(pipe) {}
    }
}
