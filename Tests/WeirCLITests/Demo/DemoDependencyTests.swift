import Foundation
import Testing
import WeirAudit
import WeirClient
import WeirModel
import WeirServer
import WeirTestSupport

@testable import WeirCLI

/// The "My loans" screen, really loaded: what depends on what.
@Suite(.ownRegistry) struct DemoDependencyTests {
    private func report(_ load: (LibraryAPI) async throws -> LoansScreen) async throws -> NetworkAudit.Report {
        let server = try await LibraryServer.start(isCompressed: true)
        defer { server.stop() }
        var configuration = HTTPSession.Configuration()
        configuration.proxy = .none
        let session = HTTPSession(configuration: configuration)
        defer { session.invalidate() }
        let library = LibraryAPI(session: session, baseURL: server.baseURL)
        return try await NetworkAudit().measure("My loans") { try await load(library) }.1
    }

    @Test func booksNeedLoansAndNothingElseNeedsAnything() async throws {
        let report = try await report(LoansScreen.loadNaively)
        #expect(report.records.count == 9)
        #expect(report.records.allSatisfy { $0.isExamined })
        let sentences = report.records.indices.map { index in
            report.records[index].edges.map { "\($0.grade) \(report.sentence(for: $0, of: index))" }
        }
        let books = (0..<5).map { ["certain $[\($0)].bookID of #2 is the last path segment of #\($0 + 3)"] }
        #expect(sentences == [[], []] + books + [[], []])
        let path = try #require(report.criticalPath)
        // The loans and the slowest book; on a busy machine another request alone may have taken longer.
        let alone = report.records.indices.filter { report.records[$0].edges.isEmpty && $0 != 1 }
        let slowest = alone.map { report.records[$0].duration * 1000 }.max() ?? 0
        #expect(path.length == 2 || path.duration <= slowest)
        #expect(path.isExact)
    }

    @Test func theFixedScreenNeedsTheLoansOnce() async throws {
        let report = try await report(LoansScreen.load)
        #expect(report.records.allSatisfy { $0.isExamined })
        let edges = report.records.flatMap(\.edges)
        #expect(edges.map(\.sourcePlace) == ["$[0].bookID"])
        #expect(edges.map(\.targetPlace) == ["the query parameter ids"])
        #expect(edges.map(\.grade) == [.certain])
    }
}
