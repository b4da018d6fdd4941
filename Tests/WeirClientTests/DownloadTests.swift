import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct DownloadTests {
    @Test func fileIsTheBody() async throws {
        let body = [UInt8].noise(1_500_000)
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "out")
        try Data("old".utf8).write(to: file)
        try await withSession { _ in
            .init(body: [.bytes(body)])
        } _: { session, server, recorder in
            let response = try await session.download(for: URLRequest(url: server.baseURL), to: file)
            #expect(response.statusCode == 200)
            #expect(try Data(contentsOf: file) == Data(body))
            #expect(recorder.records.first?.outcome?.countOfResponseBodyBytesAfterDecoding == 1_500_000)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out"])
        }
    }

    @Test func failureLeavesTheOldFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "out")
        try Data("old".utf8).write(to: file)
        try await withSession { _ in
            .init(body: [.bytes([UInt8].noise(100_000)), .close])
        } _: { session, server, _ in
            let error = try await urlError {
                try await session.download(for: URLRequest(url: server.baseURL), to: file)
            }
            #expect(error.code == .networkConnectionLost)
            #expect(try Data(contentsOf: file) == Data("old".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out"])
            let missing = try await urlError {
                try await session.download(
                    for: URLRequest(url: server.baseURL), to: folder.url.appending(path: "no/such/folder"))
            }
            #expect(missing.code == .cannotCreateFile)
        }
    }
}
