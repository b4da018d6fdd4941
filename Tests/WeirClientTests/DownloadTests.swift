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

    @Test func whatIsNoOrdinaryFileIsNotReplaced() async throws {
        let folder = try TemporaryFolder()
        let real = folder.url.appending(path: "real")
        let link = folder.url.appending(path: "link")
        try Data("old".utf8).write(to: real)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        try await withSession { _ in
            .text("new")
        } _: { session, server, _ in
            let request = URLRequest(url: server.baseURL)
            for place in [folder.url, URL(filePath: "/dev/null"), server.baseURL] {
                let error = try await urlError { try await session.download(for: request, to: place) }
                #expect(error.code == .cannotCreateFile, "\(place): \(error)")
            }
            _ = try await session.download(for: request, to: link)
            #expect(try Data(contentsOf: real) == Data("new".utf8))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == real.path)
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
