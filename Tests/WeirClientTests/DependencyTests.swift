import Foundation
import Testing
import WeirAudit
import WeirClient
import WeirModel
import WeirServer
import WeirTestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.ownRegistry) struct DependencyTests {
    private static let handler: LocalServer.Handler = { request in
        switch request.path {
        case "/loans": .json(#"[{"bookID":"b-2041"},{"bookID":"b-2058"}]"#)
        case "/old": .redirect(to: "/loans/8841770")
        case "/lines":
            .init(
                headers: [("Content-Type", "application/x-ndjson")],
                body: [.bytes(Array("{\"id\":\"n-77120\"}\n".utf8))])
        case "/page": .init(headers: [("Content-Type", "text/html")], body: [.bytes(Array("<p>b-2041</p>".utf8))])
        default: .json("{}")
        }
    }

    private func url(_ server: LocalServer, _ path: String) -> URL { server.baseURL.appending(path: path) }

    @Test func nothingIsExaminedOutsideOfAUnit() async throws {
        try await withSession(handler: Self.handler) { session, server, recorder in
            _ = try await session.data(from: url(server, "loans"))
            _ = try await session.data(from: url(server, "books/b-2041"))
            #expect(recorder.records.allSatisfy { !$0.isExamined && $0.edges.isEmpty })
        }
    }

    @Test func aUnitSeesValuesOfDataAndBytes() async throws {
        try await withSession(handler: Self.handler) { session, server, recorder in
            try await UnitOfWork("screen").run {
                let (bytes, _) = try await session.bytes(from: url(server, "loans"))
                for try await _ in bytes {}
                let (lines, _) = try await session.bytes(from: url(server, "lines"))
                for try await _ in lines.chunks {}
                // A unit inside has the values of the one around it.
                try await UnitOfWork("inner").run { _ = try await session.data(from: url(server, "books/b-2058")) }
                var post = URLRequest(url: url(server, "notes"))
                post.httpMethod = "POST"
                post.httpBody = Data(#"{"noteId":"n-77120"}"#.utf8)
                post.setValue("application/json", forHTTPHeaderField: "Content-Type")
                _ = try await session.data(for: post)
            }
            let records = recorder.records
            #expect(records.map(\.isExamined) == [true, true, true, true])
            #expect(records.map { $0.edges.map(\.source) } == [[], [], [records[0].id], [records[1].id]])
            #expect(records[2].edges.map(\.sourcePlace) == ["$[1].bookID"])
            #expect(records[3].edges.map(\.targetPlace) == ["$.noteId of the body"])
        }
    }

    @Test func unitsDoNotShareValues() async throws {
        try await withSession(handler: Self.handler) { session, server, recorder in
            for path in ["loans", "books/b-2041"] {
                let unit = UnitOfWork(path)
                try await unit.run { _ = try await session.data(from: url(server, path)) }
                unit.close()
            }
            #expect(recorder.records.allSatisfy { $0.isExamined && $0.edges.isEmpty })
        }
    }

    @Test func redirectsAreNoEdgesButSources() async throws {
        try await withSession(handler: Self.handler) { session, server, recorder in
            try await UnitOfWork("screen").run {
                _ = try await session.data(from: url(server, "old"))
                _ = try await session.data(from: url(server, "loans/8841770"))
                _ = try await session.data(from: url(server, "page"))
            }
            let records = recorder.records
            #expect(records.map(\.redirectCount) == [1, 0, 0])
            #expect(records.map { $0.edges.map(\.sourcePlace) } == [[], ["Location"], []])
            #expect(records.map(\.isExamined) == [true, true, false])
        }
    }

    @Test func anAuditThatObservesSeesThemToo() async throws {
        let server = try await LocalServer.start(handler: Self.handler)
        defer { server.stop() }
        let audit = NetworkAudit()
        let session = HTTPSession(observers: [audit])
        defer { session.invalidate() }
        _ = try await session.data(from: url(server, "loans"))
        _ = try await session.data(from: url(server, "books/b-2041"))
        #expect(audit.records.map(\.edges.count) == [0, 1])
        audit.reset()
        _ = try await session.data(from: url(server, "books/b-2058"))
        #expect(audit.records.map(\.edges.count) == [0])
        #expect(audit.records.map(\.isExamined) == [true])
    }
}
