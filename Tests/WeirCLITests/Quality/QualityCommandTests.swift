import Foundation
import Testing
import WeirClient
import WeirModel
import WeirReports
import WeirServer

@testable import WeirCLI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `weir quality` against `weir serve --quality`, over real sockets and simulated links.
@Suite(.serialized) struct QualityCommandTests {
    /// Short intervals, so that a test takes seconds.
    private static var quick: QualityParameters {
        var parameters = QualityParameters()
        parameters.interval = .milliseconds(250)
        // With few connections each is quick, and so are probes over it.
        parameters.maximumConnections = 4
        return parameters
    }

    private func measure(
        _ running: Running, _ directions: [LoadConnection.Direction], most: Duration, anchor: String? = nil
    ) async throws -> QualityResult {
        let url = try #require(QualityCommand.document(await running.url()))
        var session = HTTPSession.Configuration()
        session.proxy = .none
        if let anchor {
            session.trust.additionalAnchors = [try #require(FileManager.default.contents(atPath: anchor))]
        }
        return try await QualityMeasurement(
            url, directions: directions, parameters: Self.quick, most: most, session: session
        ).run()
    }

    /// Capacity agrees with the link's rate, and what fills the link's queue costs responsiveness.
    @Test func agreesWithTheLink() async throws {
        let running = Running(["serve", "--quality", "--quiet", "--link", "4000/2000/40"])
        var result = try await measure(running, [.download, .upload], most: .seconds(12))
        // On a machine so busy that nothing crosses in an interval, nothing is claimed, and it is measured again.
        for _ in 0..<3 where result.download?.isLoaded != true || result.upload?.isLoaded != true {
            result = try await measure(running, [.download, .upload], most: .seconds(12))
        }
        _ = await running.interrupt()
        let download = try #require(result.download)
        let upload = try #require(result.upload)
        #expect(1.5e6...8e6 ~= download.bitsPerSecond, "\(download)")
        // A busy machine lets bytes cross in bursts, which a short measurement takes for the rate; a sender sees them in steps besides.
        #expect(0.2e6...5e6 ~= upload.bitsPerSecond, "\(upload)")
        let idle = try #require(result.idle.combined)
        let loaded = try #require(download.responsiveness.combined)
        // A round trip of 40 ms, and another for the handshake, make 1 500 at the most.
        #expect(idle < 1600)
        // Connections take turns on the link, so that new ones do not wait in the queues of others.
        #expect(loaded < 1600)
        #expect(result.protocolName == "http/1.1" && result.tlsVersion == nil && !result.isMultiplexed)
        #expect(download.responsiveness.loadedProbes == 0)
        let text = QualityText(result, style: .init(isTerminal: false, environment: [:])).text
        #expect(text.contains("http/1.1, no TLS"))
        #expect(text.contains("Without TLS there is no handshake"))
        #expect(text.contains("the figures are of new connections only"))
    }

    #if os(Linux)
    @Test func asksOverLoadedConnectionsOfHTTP2() async throws {
        let scratch = try Scratch()
        let anchor = scratch.path + "/ca.pem"
        let running = Running(["serve", "--quality", "--quiet", "--authority", anchor, "--link", "20000/20000/20"])
        let result = try await measure(running, [.download, .upload], most: .seconds(10), anchor: anchor)
        let outcome = await running.interrupt()
        #expect(result.protocolName == "h2" && result.tlsVersion == 0x0304)
        for direction in [result.download, result.upload] {
            let summary = try #require(direction).responsiveness
            // On a busy machine none may be back in time; then how long one has waited stands for it.
            #expect(summary.loadedProbes > 0 || summary.isLoadedUnanswered, "\(result)")
            #expect(summary.foreignProbes > 0 && summary.tls != nil && summary.loaded != nil, "\(result)")
            // A round trip of 20 ms: 3 000 a minute at the most.
            #expect(try #require(summary.loaded) < 3200)
            // What fills the queue of a connection costs what is asked over it.
            #expect(try #require(summary.loaded) < #require(result.idle.combined), "\(result)")
        }
        #expect(outcome.output.contains(" received; "))
    }
    #endif

    @Test func writesADocument() async throws {
        let running = Running(["serve", "--quality", "--quiet"])
        let url = await running.url()
        let outcome = await Shell().run("quality \(url) --download-only --max-time 2 --json")
        _ = await running.interrupt()
        #expect(outcome.status == .success, "\(outcome.errors)")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(object["schema"] as? String == "weir.quality/1")
        #expect(object["protocol"] as? String == "http/1.1")
        #expect(object["upload"] is NSNull)
        let download = try #require(object["download"] as? [String: Any])
        #expect((download["bitsPerSecond"] as? Double ?? 0) > 1e6)
        #expect(download["confidence"] as? String == "low", "two seconds are not enough")
        let responsiveness = try #require(download["responsiveness"] as? [String: Any])
        #expect((responsiveness["foreignProbes"] as? Int ?? 0) > 0)
    }

    // MARK: - What goes wrong

    private func serving(_ answer: @escaping @Sendable (LocalServer.Request) -> LocalServer.Response) async throws
        -> LocalServer
    {
        try await LocalServer.start { answer($0) }
    }

    @Test func saysWhatIsWrongWithTheServer() async throws {
        let server = try await serving { request in
            let host = request.header("Host") ?? ""
            return switch request.path {
            case "/bad": .json("{\n  \"version\": 3}")
            case "/ok": .json(QualityConfiguration.document(origin: "http://\(host)", paths: ("/s", "/l", "/u")))
            case "/s": .text("x")
            case "/u": .text("no", status: 403)
            default: .text("none", status: 404)
            }
        }
        defer { server.stop() }
        let url = server.baseURL.absoluteString
        let bad = await Shell().run("quality \(url)/bad")
        #expect(bad.status == .badInput)
        #expect(bad.errors.contains("/bad: line 2, column 14: \"version\" is not 1"))
        let none = await Shell().run("quality \(url)")
        #expect(none.status == .failure)
        #expect(none.errors.contains("/.well-known/nq answers with 404"))
        let large = await Shell().run("quality \(url)/ok --download-only")
        #expect(large.status == .failure)
        #expect(large.errors.contains("/l answers with 404"))
        let upload = await Shell().run("quality \(url)/ok --upload-only")
        #expect(upload.status == .failure)
    }

    @Test func saysThatNobodyIsThere() async throws {
        let server = try await serving { _ in .text("x") }
        let url = server.baseURL.absoluteString
        server.stop()
        let outcome = await Shell().run("quality \(url)")
        #expect(outcome.status == .failure)
        #expect(!outcome.errors.isEmpty && outcome.output.isEmpty)
    }

    private static func document(_ request: LocalServer.Request) -> LocalServer.Response {
        .json(
            QualityConfiguration.document(
                origin: "http://\(request.header("Host") ?? "")", paths: ("/s", "/l", "/u")))
    }

    /// A server whose download stands still after its first bytes.
    private func stalling() async throws -> LocalServer {
        try await serving { request in
            switch request.path {
            case "/s": .text("x")
            case "/l": .init(body: [.text("a little"), .pause(.seconds(600))])
            default: Self.document(request)
            }
        }
    }

    /// A transfer that stands still is no load, however quick probes are beside it.
    @Test func aStalledDownloadIsNotRated() async throws {
        let server = try await stalling()
        defer { server.stop() }
        let url = try #require(QualityCommand.document(server.baseURL.absoluteString))
        let result = try await QualityMeasurement(
            url, directions: [.download], parameters: Self.quick, most: .seconds(3)
        ).run()
        #expect(result.download?.isLoaded == false)
        let text = QualityText(result, style: .init(isTerminal: false, environment: [:])).text
        #expect(text.contains("responsiveness under load is unknown"), "\(text)")
        #expect(!text.contains("excellent"))
        let json = QualityDocument(result).text
        #expect(json.contains("\"isLoaded\": false") || json.contains("\"isLoaded\":false"), "\(json)")
    }

    @Test func whoeverAnswersBeforeTheBodyEndsTakesNone() async throws {
        var options = LocalServer.Options()
        options.limits.body = 1000
        let server = try await LocalServer.start(options: options) { request in
            request.path == "/s" ? .text("x") : Self.document(request)
        }
        defer { server.stop() }
        let outcome = await Shell().run("quality \(server.baseURL.absoluteString) --upload-only --max-time 5")
        #expect(outcome.status == .failure)
        #expect(outcome.errors.contains("/u does not take an endless body"), "\(outcome.errors)")
    }

    /// The time is for all of it, also for a server that does not answer.
    @Test func takesNoLongerThanItMay() async throws {
        let server = try await serving { _ in .init(body: [.text("x")], delay: .seconds(600)) }
        defer { server.stop() }
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = await Shell().run("quality \(server.baseURL.absoluteString) --max-time 2")
        #expect(outcome.status == .failure)
        #expect(outcome.errors.contains("did not answer within 2.0 s"), "\(outcome.errors)")
        // Twice of it was what it took.
        #expect(clock.now - start < .seconds(30))
    }

    /// Intervals that take longer than they should, as on a busy machine, do not make the whole longer.
    @Test func endsByTheClock() async throws {
        let server = try await stalling()
        defer { server.stop() }
        let url = try #require(QualityCommand.document(server.baseURL.absoluteString))
        var parameters = QualityParameters()
        parameters.interval = .microseconds(1)
        parameters.maximumConnections = 1
        let result = try await QualityMeasurement(
            url, directions: [.download], parameters: parameters, most: .seconds(1)
        ).run()
        // Nothing comes to rest, so that only the clock or the number of intervals ends it, which is some 900 000.
        let intervals = try #require(result.download?.intervals)
        #expect(1..<500_000 ~= intervals)
    }

    #if !canImport(Darwin)
    @Test func connectsToTheEndpointThatTheServerNames() async throws {
        let server = try await serving { request in
            switch request.path {
            case "/s": .text("x")
            case "/l": .init(body: Array(repeating: .text(String(repeating: "x", count: 100_000)), count: 50))
            default:
                .json(
                    "{\"test_endpoint\": \"127.0.0.1\","
                        + QualityConfiguration.document(
                            origin:
                                "http://nowhere.invalid:\(request.header("Host")?.split(separator: ":").last ?? "")",
                            paths: ("/s", "/l", "/u")
                        ).dropFirst())
            }
        }
        defer { server.stop() }
        let url = try #require(QualityCommand.document(server.baseURL.absoluteString))
        let result = try await QualityMeasurement(
            url, directions: [.download], parameters: Self.quick, most: .seconds(3)
        ).run()
        #expect(result.download?.isLoaded == true)
        #expect(server.requests.contains { $0.request.header("Host") == "nowhere.invalid:\(server.port)" })
        let text = QualityText(result, style: .init(isTerminal: false, environment: [:])).text
        #expect(text.contains("127.0.0.1 was connected to in place of the URLs' host"), "\(text)")
    }
    #endif

    @Test func theDocumentNamesTheHostThatWasAskedFor() {
        #expect(QualityFixtures.authority(ofTarget: "http://a.test:81/.well-known/nq?x") == "a.test:81")
        #expect(QualityFixtures.authority(ofTarget: "http://me:secret@a.test/nq") == "a.test")
        #expect(QualityFixtures.authority(ofTarget: "http:///nq") == nil)
        #expect(QualityFixtures.authority(ofTarget: "/nq?to=http://b.test/") == nil)
        #expect(QualityFixtures.authority(ofTarget: "*") == nil)
    }

    @Test func refusesWrongCommandLines() async {
        for line in [
            "quality", "quality ftp://a.test", "quality http://a.test --download-only --upload-only",
            "quality http://a.test --max-time 0", "quality http://a.test --cacert /none", "serve",
        ] {
            #expect(await Shell().run(line).status == .usage, "\(line)")
        }
    }

    // MARK: - The server's end

    @Test func servesBesideFiles() async throws {
        let scratch = try Scratch()
        _ = try scratch.file("a.txt", Data("hello".utf8))
        let running = Running(["serve", scratch.path, "--quality", "--quiet"])
        let url = await running.url()
        let session = HTTPSession()
        func get(_ path: String) async throws -> (Data, Int) {
            let (data, response) = try await session.data(from: try #require(URL(string: url + path)))
            return (data, response.statusCode)
        }
        #expect(try await get("/a.txt").0 == Data("hello".utf8))
        #expect(try await get("/nq/small").0.count == 1)
        #expect(try await get("/nq/upload").1 == 405)
        #expect(try await get("/none").1 == 404)
        let (document, _) = try await get("/.well-known/nq")
        #expect(try QualityConfiguration(parsing: Array(document)).large.absoluteString == url + "/nq/large")
        // A body that is larger than any that is kept.
        let large = try #require(URL(string: url + "/nq/large"))
        let (bytes, response) = try await session.bytes(from: large)
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "8589934592")
        var count = 0
        for try await chunk in bytes.chunks {
            count += chunk.count
            if count > 1_000_000 { break }
        }
        session.invalidate()
        await session.drain()
        _ = await running.interrupt()
    }
}
