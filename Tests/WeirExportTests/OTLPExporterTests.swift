import Foundation
import Synchronization
import Testing
import WeirClient
import WeirCoding
import WeirMetrics
import WeirModel
import WeirServer
import WeirTestSupport

@testable import WeirExport

/// The exporter against a real server on this machine.
@Suite(.timeLimit(.minutes(5)))
struct OTLPExporterTests {
    /// Which networks may be used is the system's to keep, where it knows them.
    @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
    func networksThatMayBeUsedAreAskedFor(expensive: Bool, constrained: Bool) {
        var options = OTLPExporter.Options()
        options.allowsExpensiveNetwork = expensive
        options.allowsConstrainedNetwork = constrained
        options.timeout = 12
        let configuration = OTLPWorker.configuration(options)
        #expect(configuration.allowsExpensiveNetworkAccess == expensive)
        #expect(configuration.allowsConstrainedNetworkAccess == constrained)
        #expect(configuration.timeoutIntervalForResource == 12 && configuration.redirects == .deliver)
        // Else it is as the session's defaults have it: nothing is kept from anybody.
        let standard = HTTPSession.Configuration()
        #expect(standard.allowsExpensiveNetworkAccess && standard.allowsConstrainedNetworkAccess)
    }

    private final class Events: Sendable {
        private let state = Lock<[OTLPExporter.Event]>([])
        func add(_ event: OTLPExporter.Event) { state.withLock { $0.append(event) } }
        var all: [OTLPExporter.Event] { state.withLock { $0 } }
    }

    private final class Replies: Sendable {
        private let state: Lock<[LocalServer.Response]>
        init(_ replies: [LocalServer.Response]) { state = Lock(replies) }
        func next() -> LocalServer.Response {
            state.withLock { replies in
                replies.isEmpty
                    ? LocalServer.Response(
                        status: 200, headers: [("Content-Type", "application/json")], body: [.text("{}")])
                    : replies.removeFirst()
            }
        }
    }

    private static let document = OTLPDocument(resource: .init(serviceName: "tests"))

    /// Runs an exporter against a server that gives some replies, and then takes everything.
    private func withExporter(
        _ replies: [LocalServer.Response] = [], options: OTLPExporter.Options = .init(), in folder: URL? = nil,
        _ body: (OTLPExporter, LocalServer, Events) async throws -> Void
    ) async throws {
        let replies = Replies(replies)
        let server = try await LocalServer.start { _ in replies.next() }
        defer { server.stop() }
        let events = Events()
        try await Tools.withFolder { temporary in
            let exporter = try OTLPExporter(
                endpoint: server.baseURL.appending(path: "v1/metrics"), folder: folder ?? temporary,
                document: Self.document, options: options, observe: { events.add($0) })
            try await body(exporter, server, events)
        }
    }

    private static var impatient: OTLPExporter.Options {
        var options = OTLPExporter.Options()
        options.policy = .init(firstDelay: .milliseconds(5), longestDelay: .milliseconds(20))
        return options
    }

    private func content(_ request: LocalServer.Entry) throws -> Data {
        guard request.header("Content-Encoding") == "gzip" else { return Data(request.body) }
        let decoder = try ContentDecoder(.gzip, outputLimit: 1 << 26)
        var output = [UInt8](repeating: 0, count: 1 << 22)
        let count = try output.withUnsafeMutableBytes { output in
            try Array(request.body).withUnsafeBytes { try decoder.decode($0, into: output).produced }
        }
        return Data(output.prefix(count))
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func whatArrivesIsWhatTheDefinitionsSay() async throws {
        try await withExporter { exporter, server, events in
            for interval in 0..<3 {
                exporter.export(Fixtures.snapshot(.delta, at: Fixtures.start + Double(interval) * 60))
            }
            await exporter.flush()
            let requests = server.requests
            #expect(requests.allSatisfy { $0.method == "POST" && $0.path == "/v1/metrics" })
            #expect(requests.allSatisfy { $0.header("Content-Type") == "application/json" })
            #expect(requests.allSatisfy { $0.header("Content-Encoding") == "gzip" })
            let points = try await Tools.validate("otlp.py", requests.map(content))
            let books = points.filter {
                $0["metric"] as? String == "http.client.request.duration"
                    && ($0["attributes"] as? [String: Any])?["url.template"] as? String == "/books/:id"
            }
            #expect(books.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == 600)
            // Deltas follow one another without gap or overlap.
            let intervals = books.compactMap { ($0["start"] as? Int, $0["end"] as? Int) as? (Int, Int) }.sorted {
                $0.0 < $1.0
            }
            #expect(intervals.count == 3)
            #expect(zip(intervals, intervals.dropFirst()).allSatisfy { $0.1 == $1.0 })
            let sent = events.all.map { if case .sent(let count) = $0 { count } else { 0 } }
            #expect(sent.reduce(0, +) == 3)
        }
    }

    @Test func refusalsForNowAreSentAgain() async throws {
        let busy = LocalServer.Response(status: 503, headers: [("Retry-After", "0")], body: [.text("busy")])
        let reset = LocalServer.Response(status: 200, body: [.reset])
        try await withExporter([busy, reset, busy], options: Self.impatient) { exporter, server, events in
            exporter.export(Fixtures.snapshot(.delta))
            while !events.all.contains(.sent(requests: 1)) {
                await exporter.flush()
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(server.requests.count == 4)
            let bodies = try server.requests.map(content)
            #expect(Set(bodies).count == 1)
            #expect(events.all.count { if case .retrying = $0 { true } else { false } } == 3)
        }
    }

    @Test func refusalsForGoodAreNot() async throws {
        let refusal = LocalServer.Response(status: 400, body: [.text(#"{"code":3,"message":"no such field"}"#)])
        try await withExporter([refusal]) { exporter, server, events in
            exporter.export(Fixtures.snapshot(.delta))
            await exporter.flush()
            #expect(server.requests.count == 1)
            #expect(events.all == [.dropped(requests: 1, reason: .refused(status: 400, message: "no such field"))])
        }
    }

    @Test func partialSuccessIsReportedAndNotRetried() async throws {
        let partial = LocalServer.Response(
            status: 200,
            body: [.text(#"{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"too many series"}}"#)])
        try await withExporter([partial]) { exporter, server, events in
            exporter.export(Fixtures.snapshot(.delta))
            await exporter.flush()
            #expect(server.requests.count == 1)
            #expect(events.all == [.partlyTaken(rejectedPoints: 3, message: "too many series")])
        }
    }

    @Test func theQueueSurvivesTheExporter() async throws {
        try await Tools.withFolder { folder in
            var options = Self.impatient
            options.mayUseNetwork = { false }
            try await withExporter(options: options, in: folder) { exporter, server, _ in
                exporter.export(Fixtures.snapshot(.delta))
                exporter.export(Fixtures.snapshot(.delta, at: Fixtures.start + 60))
                await exporter.flush()
                #expect(server.requests.isEmpty)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
            // At the next launch they are sent as one.
            try await withExporter(in: folder) { exporter, server, events in
                await exporter.flush()
                #expect(server.requests.count == 1)
                #expect(events.all == [.sent(requests: 2)])
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func theNetworkIsAskedForBeforeEachRequest() async throws {
        let isAllowed = Lock(false)
        var options = Self.impatient
        options.mayUseNetwork = { isAllowed.withLock { $0 } }
        try await withExporter(options: options) { exporter, server, events in
            exporter.export(Fixtures.snapshot(.delta))
            await exporter.flush()
            #expect(server.requests.isEmpty)
            isAllowed.withLock { $0 = true }
            exporter.networkDidChange()
            await exporter.flush()
            #expect(events.all == [.sent(requests: 1)])
        }
    }

    @Test func theSwitchStopsEverything() async throws {
        try await Tools.withFolder { folder in
            var options = Self.impatient
            options.mayUseNetwork = { false }
            try await withExporter(options: options, in: folder) { exporter, server, events in
                exporter.export(Fixtures.snapshot(.delta))
                await exporter.flush()
                exporter.isEnabled = false
                exporter.export(Fixtures.snapshot(.delta))
                await exporter.flush()
                #expect(events.all == [.dropped(requests: 1, reason: .turnedOff)])
                let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(left.isEmpty)
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func anEmptySnapshotIsNotSent() async throws {
        try await withExporter { exporter, server, events in
            exporter.export(MetricsSnapshot(start: .now, end: .now, temporality: .delta))
            await exporter.flush()
            #expect(server.requests.isEmpty && events.all.isEmpty)
        }
    }

    /// What measures must not measure itself: neither an observer nor an open unit of work hears of the exporter's requests.
    @Test(.ownRegistry) func itsOwnRequestsAreNotMeasured() async throws {
        let unit = UnitOfWork("screen")
        try await unit.run {
            try await withExporter { exporter, server, events in
                exporter.export(Fixtures.snapshot(.delta))
                await exporter.flush()
                #expect(events.all == [.sent(requests: 1)])
            }
        }
        unit.close()
        #expect(unit.records.isEmpty && unit.unattributed.isEmpty && unit.openTasks.isEmpty)
    }

    /// The whole way: requests, recorder, exporter, server, and nothing of the exporter in the recorder.
    @Test(.enabled(if: Tools.python != nil || Tools.isRequired, Tools.noPython))
    func whatARecorderMeasuredArrives() async throws {
        try await withExporter { exporter, server, _ in
            let recorder = MetricsRecorder(route: .template(["books/:id"]))
            let session = HTTPSession(configuration: .init(), observers: [recorder])
            defer { session.invalidate() }
            for number in 1...5 {
                _ = try await session.data(from: server.baseURL.appending(path: "books/\(number)"))
            }
            exporter.export(recorder.snapshot(.delta))
            await exporter.flush()
            #expect(recorder.snapshot(.delta).isEmpty)
            let sent = server.requests.filter { $0.path == "/v1/metrics" }
            let points = try await Tools.validate("otlp.py", sent.map(content))
            let durations = points.filter { $0["metric"] as? String == "http.client.request.duration" }
            #expect(durations.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == 5)
            for point in durations {
                let attributes = try #require(point["attributes"] as? [String: Any])
                #expect(attributes["url.template"] as? String == "/books/:id")
                #expect(attributes["server.address"] as? String == "127.0.0.1")
                #expect(attributes["http.response.status_code"] as? Int == 200)
                #expect(attributes["network.protocol.version"] as? String == "1.1")
            }
            let connections = Set(
                durations.compactMap { ($0["attributes"] as? [String: Any])?["weir.connection"] as? String })
            #expect(connections == ["cold", "reused"])
        }
    }

    @Test func exportReturnsAtOnceWhileTheServerIsSlow() async throws {
        let slow = LocalServer.Response(status: 200, body: [.text("{}")], delay: .milliseconds(300))
        try await withExporter([slow]) { exporter, server, _ in
            let clock = ContinuousClock()
            let start = clock.now
            for _ in 0..<20 { exporter.export(Fixtures.snapshot(.delta)) }
            let handedOver = clock.now - start
            await exporter.flush()
            #expect(handedOver < clock.now - start)
            #expect(clock.now - start >= .milliseconds(300))
            #expect(server.requests.count < 20)
        }
    }

    @Test(
        arguments: [
            (#"{"partialSuccess":{"rejectedDataPoints":"9223372036854775807"}}"#, UInt64(Int64.max), ""),
            (#"{"partialSuccess":{"rejectedDataPoints":5,"errorMessage":"x"}}"#, 5, "x"),
            (#"{"partialSuccess":{"rejectedDataPoints":"+5"}}"#, 0, ""), (#"{"partialSuccess":7}"#, 0, ""), ("", 0, ""),
            (#"{"partialSuccess":{"rejectedDataPoints":-1}}"#, 0, ""), ("<html>", 0, ""), ("[]", 0, ""),
        ] as [(String, UInt64, String)])
    func responsesAreReadWithCare(text: String, rejected: UInt64, message: String) {
        let read = OTLPResponse.read(Data(text.utf8))
        #expect(read.rejected == rejected && read.message == message)
    }
}
