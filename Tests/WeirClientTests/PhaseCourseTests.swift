#if os(Linux)
import Foundation
import FoundationNetworking
import Testing
import WeirModel
import WeirServer

@testable import WeirClient

/// The phases of exchanges that take another course than a request and its answer: redirects, informational answers, an error
/// before the body is sent, and failures at every step; against the same servers as ``PhaseMatrixTests``.
@Suite(
    .enabled(
        if: NginxServer.isAvailable && CaddyServer.isAvailable,
        "needs nginx and Caddy (apt-get install nginx-light caddy)"))
struct PhaseCourseTests {
    enum Course: String, CaseIterable {
        case sameOrigin, acrossOrigins, continued, hinted, earlyError, untrusted, lateHead, cutBody

        /// Whether a server can do it.
        func isPossible(_ server: PhaseFront.Server, _ wire: PhaseFront.Wire) -> Bool {
            switch self {
            // nginx sends no 100 over HTTP/2 and takes a 103 of what is behind it for the answer; Caddy reads a body before it
            // knows of the error behind it. The tests' own server resets the stream of a request that it has answered early, as it
            // may (RFC 9113, section 8.1): libcurl 7.88 loses the answer then.
            case .continued: server != .nginx || !wire.isHTTP2
            case .hinted: server != .nginx
            case .earlyError: server == .nginx || (server == .own && !wire.isHTTP2)
            case .untrusted: wire.isSecure
            case .sameOrigin, .acrossOrigins, .lateHead, .cutBody: true
            }
        }
    }

    static let cases = PhaseFront.Server.allCases.flatMap { server in PhaseFront.Wire.allCases.map { (server, $0) } }

    /// What waits for 150 ms.
    private static let waits = 0.149...0.25

    @Test(arguments: cases) func courses(server: PhaseFront.Server, wire: PhaseFront.Wire) async throws {
        let front = try await PhaseFront(server, wire) { request in
            switch request.path {
            case "/redirect": .redirect(to: "/").delayed(by: .milliseconds(150))
            case "/hinted":
                .init(
                    body: [.text("hinted")], delay: .milliseconds(150),
                    informational: [.init(status: 103, headers: [("Link", "</a>")], delay: .milliseconds(40))])
            case "/cut": .init(body: [.bytes([UInt8].noise(10_000)), .close], delay: .milliseconds(150))
            case "/late": .init(delay: .seconds(300))
            default: .text("\(request.body.count)").delayed(by: .milliseconds(150))
            }
        }
        let other = try await LocalServer.start { [url = front.url.absoluteString] _ in
            .redirect(to: url).delayed(by: .milliseconds(150))
        }
        for course in Course.allCases where course.isPossible(server, wire) {
            try await judge(course, front, other)
        }
        other.stop()
        withExtendedLifetime(front) {}
    }

    /// A name that is none, and a port on which nobody listens: no server sees anything of it.
    @Test func nobodyThere() async throws {
        let port = try NginxServer.freePort()
        for (name, text, code) in [
            ("name", "http://no-such-host.invalid/", URLError.Code.cannotFindHost),
            ("refused", "http://127.0.0.1:\(port)/", .cannotConnectToHost),
            ("refused tls", "https://127.0.0.1:\(port)/", .cannotConnectToHost),
        ] {
            let url = try #require(URL(string: text))
            let record = try await record(of: .init()) { _ = try await $0.data(from: url) }
            let outcome = try #require(record.outcome)
            #expect(record.failure?.code == code.rawValue && PhaseRow.isOrdered(record), "\(name)")
            #expect((outcome.domainLookupStartDate != nil) == (name == "name"), "\(name)")
            #expect((outcome.connectStartDate != nil) == (name != "name"), "\(name)")
            #expect(
                [
                    outcome.domainLookupEndDate, outcome.secureConnectionStartDate, outcome.connectEndDate,
                    outcome.requestStartDate, outcome.responseStartDate, outcome.responseEndDate,
                ] == [nil, nil, nil, nil, nil, nil], "\(name)")
            let happened = PhaseRow.phases.filter { outcome.duration(of: $0) != nil }
            #expect(happened.allSatisfy { $0 == .queueing }, "\(name): \(happened)")
            PhaseRow.print(PhaseRow.lines(record, "nobody \(name)"))
        }
    }

    /// Measures one course, again while the machine spoils a time, at most sixty times.
    private func judge(_ course: Course, _ front: PhaseFront, _ other: LocalServer) async throws {
        let name = "\(front.server) \(front.wire) \(course)"
        var spoiled: [String] = []
        for _ in 0..<60 {
            let record = try await measure(course, front, other)
            try judgeShape(record, course, front, name)
            let lines = PhaseRow.lines(record, name)
            if isTrue(record, course) {
                PhaseRow.print(lines)
                return
            }
            spoiled += lines
        }
        Issue.record("Not once of sixty times were the times right:\n\(spoiled.joined(separator: "\n"))")
    }

    private func measure(_ course: Course, _ front: PhaseFront, _ other: LocalServer) async throws -> TaskRecord {
        var configuration = front.configuration
        if course == .untrusted { configuration.trust.additionalAnchors = [] }
        let base = front.url
        return try await record(of: configuration) { session in
            switch course {
            case .sameOrigin: _ = try await session.data(from: base.appending(path: "redirect"))
            case .acrossOrigins: _ = try await session.data(from: other.baseURL)
            case .hinted: _ = try await session.data(from: base.appending(path: "hinted"))
            case .untrusted: _ = try await session.data(from: base)
            case .cutBody: _ = try await session.data(from: base.appending(path: "cut"))
            case .lateHead:
                var request = URLRequest(url: base.appending(path: "late"))
                request.timeoutInterval = 0.2
                _ = try await session.data(for: request)
            case .continued, .earlyError:
                var request = URLRequest(url: base)
                request.httpMethod = "POST"
                if course == .continued { request.setValue("100-continue", forHTTPHeaderField: "Expect") }
                let size = course == .continued ? 200_000 : 2 * PhaseFront.bodyLimit
                _ = try await session.upload(for: request, from: Data(count: size))
            }
        }
    }

    /// The record of one task, which may fail.
    private func record(
        of configuration: HTTPSession.Configuration, _ work: (HTTPSession) async throws -> Void
    ) async throws -> TaskRecord {
        let recorder = Recorder()
        let session = HTTPSession(configuration: configuration, observers: [recorder])
        do { try await work(session) } catch is URLError {}
        session.invalidate()
        await session.drain()
        #expect(recorder.records.count == 1)
        return try #require(recorder.records.last)
    }

    /// What no machine can spoil: which phases there are, their order, and what came of it.
    private func judgeShape(_ record: TaskRecord, _ course: Course, _ front: PhaseFront, _ name: String) throws {
        let outcome = try #require(record.outcome)
        let first = try #require(record.transactions.first)
        #expect(PhaseRow.isOrdered(record), "\(name)")
        #expect(record.redirectCount == record.transactions.count - 1, "\(name)")
        switch course {
        case .sameOrigin, .acrossOrigins:
            #expect(record.failure == nil && record.transactions.count == 2, "\(name)")
            #expect(record.transactions.map { $0.response?.statusCode } == [302, 200], "\(name)")
            #expect(first.isReusedConnection == false && first.connect != nil, "\(name)")
            // Each origin has its own connection.
            #expect(outcome.isReusedConnection == (course == .sameOrigin), "\(name)")
            #expect((outcome.connect != nil) == (course == .acrossOrigins), "\(name)")
            #expect((first.tls != nil) == (course == .sameOrigin && front.wire.isSecure), "\(name)")
            #expect((outcome.tls != nil) == (course == .acrossOrigins && front.wire.isSecure), "\(name)")
        case .continued:
            #expect(record.failure == nil && outcome.response?.statusCode == 200, "\(name)")
            #expect(outcome.countOfRequestBodyBytesSent == 200_000, "\(name)")
        case .hinted: #expect(record.failure == nil && outcome.response?.statusCode == 200, "\(name)")
        case .earlyError:
            #expect(record.failure == nil && outcome.response?.statusCode == 413, "\(name): \(record.failure as Any)")
        case .untrusted:
            #expect(record.failure?.code == URLError.Code.serverCertificateUntrusted.rawValue, "\(name)")
            #expect(outcome.connectStartDate != nil && outcome.secureConnectionStartDate != nil, "\(name)")
            #expect(outcome.connectEndDate == nil && outcome.secureConnectionEndDate == nil, "\(name)")
            #expect(outcome.requestStartDate == nil && outcome.responseStartDate == nil, "\(name)")
        case .lateHead:
            #expect(record.failure?.code == URLError.Code.timedOut.rawValue, "\(name)")
            #expect(outcome.connect != nil && outcome.requestEndDate != nil, "\(name)")
            #expect(outcome.responseStartDate == nil && outcome.responseEndDate == nil, "\(name)")
            #expect(outcome.waiting == nil && outcome.download == nil, "\(name)")
        case .cutBody:
            #expect(record.failure?.code == URLError.Code.networkConnectionLost.rawValue, "\(name)")
            #expect(outcome.responseStartDate != nil && outcome.responseEndDate == nil, "\(name)")
            #expect(outcome.download == nil, "\(name)")
        }
    }

    /// Whether what takes 150 ms is the waiting, and the phases are all that there is.
    private func isTrue(_ record: TaskRecord, _ course: Course) -> Bool {
        let isWhole = abs(PhaseRow.gap(record)) <= 0.001
        let othersAreShort = record.transactions.allSatisfy { transaction in
            [transaction.connect, transaction.duration(of: .request), transaction.download]
                .allSatisfy { ($0 ?? 0) < 0.1 }
        }
        let serverWaits = record.transactions.allSatisfy { $0.waiting.map(Self.waits.contains) ?? false }
        switch course {
        case .sameOrigin, .acrossOrigins, .hinted: return isWhole && othersAreShort && serverWaits
        // How long the body takes is up to the 100 and, over HTTP/2, to the windows: no 150 ms, but no time of its own either.
        case .continued: return isWhole && serverWaits
        // The answer comes while the body is sent: how long each takes is up to the buffers between them.
        case .earlyError: return isWhole
        case .untrusted: return true
        case .lateHead: return (0.2...0.6).contains(record.duration) && othersAreShort
        case .cutBody: return othersAreShort && serverWaits
        }
    }
}
#endif
