#if !canImport(Darwin)
import Foundation
import Synchronization
import Testing
import WeirAudit
import WeirModel
import WeirServer
import WeirTestSupport

@testable import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.ownRegistry) struct CacheTests {
    @Test(arguments: CacheKind.allCases) func aFreshHitIsOneTransactionWithoutNetwork(kind: CacheKind) async throws {
        try await withCache(kind) { _ in
            .with("body", [("Cache-Control", "max-age=60"), ("Content-Type", "text/plain")])
        } _: { bench in
            let first = try await bench.get("/a")
            #expect(first.record.types == [.networkLoad])
            #expect(first.response.value(forHTTPHeaderField: "Age") == nil)
            bench.clock.advance(7)
            let second = try await bench.get("/a")
            #expect(second.text == "body")
            #expect(second.response.statusCode == 200)
            #expect(second.response.value(forHTTPHeaderField: "Age") == "7")
            #expect(second.response.value(forHTTPHeaderField: "Content-Type") == "text/plain")
            #expect(bench.count == 1)
            #expect(second.record.isCacheHit)
            let hit = try #require(second.record.transactions.first)
            #expect(second.record.transactions.count == 1)
            #expect(hit.resourceFetchType == .localCache)
            #expect(hit.response?.statusCode == 200)
            #expect(hit.response?.headerFields["age"] == "7")
            for phase in Transaction.Phase.allCases { #expect(hit.duration(of: phase) == nil) }
            #expect(hit.requestStartDate == nil && hit.responseStartDate == nil && hit.connectStartDate == nil)
            #expect(hit.networkProtocolName == nil && hit.connectionID == nil && hit.isReusedConnection == nil)
            #expect(hit.remoteAddress == nil && hit.localAddress == nil && hit.remotePort == nil)
            #expect(hit.countOfResponseBodyBytesReceived == 0 && hit.countOfRequestHeaderBytesSent == 0)
            #expect(hit.countOfResponseBodyBytesAfterDecoding == 4)
            #expect(hit.responseBodyDigest == first.record.outcome?.responseBodyDigest)
            #expect(second.record.schedulingDelay == nil)
            // As a stream it is the same.
            let third = try await bench.stream("/a")
            #expect(String(decoding: third.bytes, as: UTF8.self) == "body")
            #expect(third.record.types == [.localCache])
            #expect(third.record.outcome?.countOfResponseBodyBytesAfterDecoding == 4)
            let head = try await bench.get("/a", "HEAD")
            #expect(head.text.isEmpty && head.response.statusCode == 200 && head.record.types == [.localCache])
            #expect(bench.count == 1)
        }
    }

    @Test(arguments: CacheKind.allCases) func a304IsVisibleInTheRecordAlone(kind: CacheKind) async throws {
        let version = Mutex("1")
        try await withCache(kind) { request in
            let tag = version.withLock { "\"\($0)\"" }
            let fields = [("ETag", tag), ("Cache-Control", "max-age=10"), ("X-Count", "\(request.number)")]
            if request.header("if-none-match") == tag { return .with("", fields, status: 304) }
            return .with("version \(tag)", fields)
        } _: { bench in
            try await bench.get("/a")
            bench.clock.advance(11)
            let second = try await bench.get("/a")
            #expect(second.text == "version \"1\"")
            #expect(second.response.statusCode == 200)
            #expect(second.response.value(forHTTPHeaderField: "X-Count") == "1")
            #expect(second.response.value(forHTTPHeaderField: "Age") == nil)
            #expect(second.record.types == [.localCache, .networkLoad])
            #expect(second.record.statuses == [200, 304])
            let network = try #require(second.record.outcome)
            #expect(network.request.headerFields["if-none-match"] == "\"1\"")
            #expect(network.countOfResponseBodyBytesReceived == 0)
            #expect(network.countOfResponseBodyBytesAfterDecoding == 0)
            #expect(network.requestStartDate != nil && network.waiting != nil && network.isReusedConnection == true)
            let lookup = try #require(second.record.transactions.first)
            #expect(lookup.countOfResponseBodyBytesAfterDecoding == 11)
            #expect(try #require(lookup.responseEndDate) <= #require(network.fetchStartDate))
            #expect(NetworkAudit.Report(records: [second.record]).decodedBytes == 11)
            // The news count: it is fresh again, with the fields of the 304.
            bench.clock.advance(9)
            let third = try await bench.get("/a")
            #expect(third.record.isCacheHit)
            #expect(third.response.value(forHTTPHeaderField: "X-Count") == "1")
            // As a stream, too.
            bench.clock.advance(11)
            let fourth = try await bench.stream("/a")
            #expect(String(decoding: fourth.bytes, as: UTF8.self) == "version \"1\"")
            #expect(fourth.record.statuses == [200, 304])
            // What has changed comes whole.
            version.withLock { $0 = "2" }
            bench.clock.advance(11)
            let fifth = try await bench.get("/a")
            #expect(fifth.text == "version \"2\"")
            #expect(fifth.record.types == [.localCache, .networkLoad])
            #expect(fifth.record.statuses == [200, 200])
            #expect(try await bench.get("/a").text == "version \"2\"")
            #expect(bench.count == 4)
        }
    }

    @Test func aConfirmationOfSomethingElseIsAskedAgain() async throws {
        try await withCache { request in
            let isQuestion = request.header("if-none-match") != nil
            return .with(
                isQuestion ? "" : "\(request.number)",
                [("ETag", isQuestion ? "\"other\"" : "\"a\""), ("Cache-Control", "no-cache")],
                status: isQuestion ? 304 : 200)
        } _: { bench in
            try await bench.get("/a")
            let second = try await bench.get("/a")
            #expect(second.text == "2")
            #expect(second.record.statuses == [200, 304, 200])
            #expect(second.record.types == [.localCache, .networkLoad, .networkLoad])
        }
    }

    @Test(arguments: [
        ("no-store", 2), ("no-cache", 2), ("max-age=0", 2), ("private, max-age=60", 1),
        ("max-age=60, must-revalidate", 1),
    ])
    func responseDirectives(value: String, requests: Int) async throws {
        try await withCache { _ in
            .with("x", [("Cache-Control", value), ("ETag", "\"a\"")])
        } _: { bench in
            try await bench.get("/a")
            try await bench.get("/a")
            #expect(bench.count == requests)
        }
    }

    @Test func whatIsNewerAndNotStoredReplacesWhatIsStored() async throws {
        try await withCache { request in
            .with("\(request.number)", [("Cache-Control", request.number == 1 ? "no-store" : "max-age=60")])
        } _: { (bench) async throws in
            #expect(try await bench.get("/a").text == "0")
            #expect(try await bench.get("/a", policy: .reloadIgnoringLocalCacheData).text == "1")
            #expect(try await bench.get("/a").text == "2")
            #expect(try await bench.get("/a").text == "2")
        }
    }

    @Test(arguments: CacheKind.allCases) func varyIsAKey(kind: CacheKind) async throws {
        try await withCache(kind) { request in
            .with(request.header("x-kind") ?? "none", [("Cache-Control", "max-age=60"), ("Vary", "X-Kind")])
        } _: { (bench) async throws in
            for _ in 0..<2 {
                for kind in ["a", "b", "c"] {
                    #expect(try await bench.get("/v", "GET", ["X-Kind": kind]).text == kind)
                }
                #expect(try await bench.get("/v").text == "none")
            }
            #expect(bench.count == 4)
        }
    }

    @Test(arguments: CacheKind.allCases) func aCredentialGetsItsOwnResponse(kind: CacheKind) async throws {
        try await withCache(kind) { request in
            .with(
                (request.header("authorization") ?? "") + (request.header("cookie") ?? ""),
                [("Cache-Control", "max-age=60")])
        } _: { bench in
            for _ in 0..<2 {
                #expect(try await bench.get("/a", "GET", ["Authorization": "Bearer one"]).text == "Bearer one")
                #expect(try await bench.get("/a", "GET", ["Authorization": "Bearer two"]).text == "Bearer two")
                #expect(try await bench.get("/a", "GET", ["Cookie": "id=1"]).text == "id=1")
                #expect(try await bench.get("/a").text == "")
            }
            #expect(bench.count == 4)
            // The credential itself is nowhere.
            for file in bench.files where file.hasSuffix(".entry") {
                let bytes = try Data(contentsOf: bench.folder.url.appending(path: file))
                #expect(bytes.range(of: Data("Bearer".utf8)) == nil)
            }
        }
    }

    @Test func policiesOfTheRequestCount() async throws {
        try await withCache { request in
            .with("\(request.number)", [("Cache-Control", "max-age=10"), ("ETag", "\"\(request.number)\"")])
        } _: { bench in
            let error = try await urlError { try await bench.get("/a", policy: .returnCacheDataDontLoad) }
            #expect(error.code == .resourceUnavailable)
            #expect(bench.recorder.records.last?.types == [.localCache])
            #expect(bench.recorder.records.last?.failure != nil)
            #expect(bench.count == 0)
            let only = try await bench.get("/a", "GET", ["Cache-Control": "only-if-cached"])
            #expect(only.response.statusCode == 504 && only.record.types == [.localCache] && bench.count == 0)
            #expect(try await bench.get("/a", policy: .returnCacheDataElseLoad).text == "0")
            bench.clock.advance(1000)
            #expect(try await bench.get("/a", policy: .returnCacheDataElseLoad).text == "0")
            #expect(try await bench.get("/a", policy: .returnCacheDataDontLoad).text == "0")
            #expect(try await bench.get("/a", "GET", ["Cache-Control": "only-if-cached, max-stale"]).text == "0")
            #expect(bench.count == 1)
            #expect(try await bench.get("/a", policy: .reloadIgnoringLocalCacheData).text == "1")
            #expect(bench.server.requests.last?.request.header("if-none-match") == nil)
            #expect(try await bench.get("/a").text == "1")
            #expect(try await bench.get("/a", policy: .reloadRevalidatingCacheData).text == "2")
            #expect(bench.server.requests.last?.request.header("if-none-match") == "\"1\"")
        }
    }

    @Test(arguments: CacheKind.allCases) func staleWhileRevalidate(kind: CacheKind) async throws {
        let gate = Signal()
        let audit = NetworkAudit()
        try await withCache(kind, observers: [audit]) { request in
            if request.number == 1 { await gate.wait() }
            return .with("\(request.number)", [("Cache-Control", "max-age=10, stale-while-revalidate=60")])
        } _: { bench in
            try await bench.get("/a")
            bench.clock.advance(20)
            let unit = UnitOfWork("screen")
            try await unit.run {
                // At once, though the server does not answer, and twice.
                for _ in 0..<2 {
                    let stale = try await bench.get("/a")
                    #expect(stale.text == "0")
                    #expect(stale.response.value(forHTTPHeaderField: "Age") == "20")
                    #expect(stale.record.types == [.localCache])
                }
            }
            #expect(unit.openTasks.count == 1)
            gate.send()
            await unit.settled()
            #expect(bench.count == 2)
            #expect(try await bench.get("/a").text == "1")
            let background = try #require(unit.records.first { $0.types.last == .networkLoad })
            #expect(background.types == [.networkLoad])
            #expect(background.unit == unit.reference && background.attribution == .taskLocal)
            let report = NetworkAudit.Report(unit)
            // The last look came while the unit was the only one open.
            #expect(report.requests == 1 && report.cacheHits == 3)
            #expect(report.duplicates.isEmpty)
        }
    }

    @Test func aRevalidationInTheBackgroundEndsWithTheSession() async throws {
        let gate = Signal()
        try await withCache { request in
            if request.number == 1 { await gate.wait() }
            return .with("x", [("Cache-Control", "max-age=1, stale-while-revalidate=60")])
        } _: { bench in
            try await bench.get("/a")
            bench.clock.advance(20)
            try await bench.get("/a")
            bench.session.invalidate()
            await bench.session.drain()
            #expect(bench.recorder.records.count == 3)
            #expect(bench.recorder.records.last?.failure?.code == URLError.Code.cancelled.rawValue)
            gate.send()
        }
    }

    @Test(arguments: [false, true]) func staleIfError(isStream: Bool) async throws {
        let isBroken = Mutex(false)
        // At the end nobody answers there.
        var options = LocalServer.Options()
        options.port = try OwnPort.next()
        try await withCache(options: options) { _ in
            if isBroken.withLock({ $0 }) { return .with("sorry", [], status: 503) }
            return .with("good", [("Cache-Control", "max-age=10, stale-if-error=100")])
        } _: { bench in
            func fetch() async throws -> (String, TaskRecord) {
                if isStream {
                    let (bytes, record) = try await bench.stream("/a")
                    return (String(decoding: bytes, as: UTF8.self), record)
                }
                let (text, _, record) = try await bench.get("/a")
                return (text, record)
            }
            _ = try await fetch()
            isBroken.withLock { $0 = true }
            bench.clock.advance(50)
            let (text, record) = try await fetch()
            #expect(text == "good")
            #expect(record.types == [.localCache, .networkLoad, .localCache])
            #expect(record.statuses == [200, 503, 200])
            #expect(record.failure == nil)
            #expect(NetworkAudit.Report(records: [record]).failures == 0)
            #expect(NetworkAudit.Report(records: [record]).decodedBytes == 4)
            // Without a server, too.
            bench.server.stop()
            let (again, second) = try await fetch()
            #expect(again == "good")
            #expect(second.types.first == .localCache && second.types.last == .localCache && second.types.count == 3)
            bench.clock.advance(100)
            #expect(try await urlError { try await fetch() }.code == .cannotConnectToHost)
        }
    }

    @Test func mustRevalidateLetsErrorsThrough() async throws {
        try await withCache { request in
            request.number == 0
                ? .with(
                    "good", [("Cache-Control", "max-age=10, must-revalidate, stale-if-error=100"), ("ETag", "\"a\"")])
                : .with("sorry", [], status: 503)
        } _: { bench in
            try await bench.get("/a")
            bench.clock.advance(50)
            #expect(try await bench.get("/a").response.statusCode == 503)
        }
    }

    @Test(arguments: CacheKind.allCases) func unsafeMethodsInvalidate(kind: CacheKind) async throws {
        try await withCache(kind) { request in
            switch request.method {
            case "POST":
                .with(
                    "", [("Location", "/b"), ("Content-Location", "http://other.example/c")],
                    status: request.path == "/bad" ? 500 : 201)
            default: .with("\(request.number)", [("Cache-Control", "max-age=60")])
            }
        } _: { bench in
            for path in ["/a", "/b", "/c", "/bad"] { try await bench.get(path) }
            #expect(bench.count == 4)
            try await bench.get("/bad", "POST")
            try await bench.get("/a", "POST")
            #expect(try await bench.get("/bad").record.isCacheHit)
            #expect(try await bench.get("/c").record.isCacheHit)
            #expect(try await !bench.get("/a").record.isCacheHit)
            #expect(try await !bench.get("/b").record.isCacheHit)
        }
    }

    @Test func whatWasOnItsWayDuringAWriteIsNotStored() async throws {
        let gate = Signal()
        let arrived = Signal()
        try await withCache { request in
            if request.method == "POST" { return .with("", [], status: 204) }
            if request.number == 0 {
                arrived.send()
                await gate.wait()
            }
            return .with("\(request.number)", [("Cache-Control", "max-age=60")])
        } _: { bench in
            async let old = bench.get("/a").text
            await arrived.wait()
            try await bench.get("/a", "POST")
            gate.send()
            #expect(try await old == "0")
            #expect(try await bench.get("/a").text == "2")
        }
    }

    @Test func partsAndTheCallersConditionsPassThrough() async throws {
        var options = LocalServer.Options()
        options.entityTags = true
        try await withCache(options: options) { _ in
            .with("0123456789", [("Cache-Control", "max-age=60")])
        } _: { bench in
            let part = try await bench.get("/a", "GET", ["Range": "bytes=2-4"])
            #expect(part.response.statusCode == 206 && part.text == "234")
            let whole = try await bench.get("/a")
            #expect(whole.text == "0123456789" && whole.record.types == [.networkLoad])
            let tag = try #require(whole.response.value(forHTTPHeaderField: "ETag"))
            let again = try await bench.get("/a", "GET", ["Range": "bytes=5-"])
            #expect(again.text == "56789" && again.record.types == [.networkLoad])
            let own = try await bench.get("/a", "GET", ["If-None-Match": tag])
            #expect(own.response.statusCode == 304 && own.record.types == [.networkLoad])
            #expect(try await bench.get("/a").record.isCacheHit)
        }
    }

    @Test func headFreshensOrRemoves() async throws {
        let tag = Mutex("\"1\"")
        try await withCache { request in
            .with(
                request.method == "HEAD" ? "" : "body",
                [("Cache-Control", "max-age=10"), ("ETag", tag.withLock { $0 }), ("Content-Length", "4")])
        } _: { bench in
            try await bench.get("/a")
            bench.clock.advance(8)
            try await bench.get("/a", "HEAD", ["Cache-Control": "no-cache"])
            bench.clock.advance(8)
            let hit = try await bench.get("/a")
            #expect(hit.record.isCacheHit && hit.response.value(forHTTPHeaderField: "Age") == "8")
            tag.withLock { $0 = "\"2\"" }
            try await bench.get("/a", "HEAD", ["Cache-Control": "no-cache"])
            #expect(try await bench.get("/a").record.types == [.networkLoad])
        }
    }

    @Test func redirectsAreStored() async throws {
        try await withCache { request in
            request.path == "/old"
                ? .init(
                    status: 301, headers: [("Location", "/new"), ("Cache-Control", "max-age=60")],
                    body: [.text("moved")])
                : .with("new", [("Cache-Control", "max-age=5")])
        } _: { bench in
            #expect(try await bench.get("/old").text == "new")
            let second = try await bench.get("/old")
            #expect(second.text == "new" && second.record.redirectCount == 1)
            #expect(second.record.types == [.localCache, .localCache])
            #expect(second.record.transactions.map(\.request.url.path) == ["/old", "/new"])
            #expect(second.response.url?.path == "/new")
            bench.clock.advance(10)
            let third = try await bench.get("/old")
            #expect(third.record.types == [.localCache, .networkLoad])
            #expect(bench.count == 3)
            // Whoever wants the redirect itself gets its body, which was not kept.
            var configuration = HTTPSession.Configuration()
            configuration.redirects = .deliver
            configuration.cache = bench.cache
            let session = HTTPSession(configuration: configuration)
            let (data, response) = try await session.data(for: bench.request("/old"))
            #expect(response.statusCode == 301 && String(decoding: data, as: UTF8.self) == "moved")
            let (again, _) = try await session.data(for: bench.request("/old"))
            #expect(String(decoding: again, as: UTF8.self) == "moved")
            #expect(bench.count == 4)
        }
    }

    @Test func theAuditCountsRight() async throws {
        let audit = NetworkAudit()
        try await withCache(observers: [audit]) { request in
            if request.header("if-none-match") != nil { return .with("", [("ETag", "\"a\"")], status: 304) }
            return .with("0123456789", [("Cache-Control", "max-age=10"), ("ETag", "\"a\"")])
        } _: { bench in
            for _ in 0..<3 { try await bench.get("/a") }
            var report = audit.report
            #expect(report.requests == 1 && report.cacheHits == 2)
            #expect(report.duplicates.isEmpty && report.redundantRequests == 0)
            #expect(report.wireBytes == 10 && report.decodedBytes == 30)
            #expect(report.rounds == 1 && report.wireRounds == 1 && report.newConnections == 1)
            #expect(report.description.contains("1 request,") && report.description.contains("2 cache hits"))
            bench.clock.advance(20)
            try await bench.get("/a")
            report = audit.report
            // A question to the server is a request, and the second for this resource.
            #expect(report.requests == 2 && report.cacheHits == 2)
            #expect(report.duplicates == ["/a"] && report.wireBytes == 10 && report.decodedBytes == 40)
            #expect(NetworkBudget(maxRequests: 2, maxDuplicates: 1).violations(of: report).isEmpty)
            #expect(NetworkBudget(maxRequests: 1, maxDuplicates: 1).violations(of: report).count == 1)
        }
    }

    @Test func valuesOfStoredBodiesFlow() async throws {
        try await withCache { request in
            request.path == "/loans"
                ? .with(
                    #"[{"bookID":"b-2041"}]"#, [("Cache-Control", "max-age=60"), ("Content-Type", "application/json")])
                : .with("{}", [])
        } _: { bench in
            try await bench.get("/loans")
            try await UnitOfWork("screen").run {
                let first = try await bench.get("/loans").record
                #expect(first.isCacheHit && first.isExamined)
                let second = try await bench.get("/books/b-2041").record
                #expect(second.edges.map(\.source) == [first.id])
            }
        }
    }

    @Test func aFolderOutlivesTheSession() async throws {
        let clock = TestClock()
        let folder = try TemporaryFolder()
        let server = try await LocalServer.start { request in
            .with("\(request.number)", [("Cache-Control", "max-age=60"), ("Date", clock.text())])
        }
        let url = server.baseURL.appending(path: "a")
        for _ in 0..<3 {
            var configuration = HTTPSession.Configuration()
            configuration.cache = .disk(at: folder.url, limit: 1 << 20, now: { clock.now })
            let session = HTTPSession(configuration: configuration)
            let (data, _) = try await session.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "0")
            session.invalidate()
            await session.drain()
        }
        var status = stat()
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            #expect(stat(folder.url.appending(path: file).path, &status) == 0)
            #expect(status.st_mode & 0o077 == 0)
        }
        server.stop()
    }

    @Test func aFolderThatCannotBeUsedIsTold() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        var configuration = HTTPSession.Configuration()
        configuration.cache = .disk(at: file)
        let session = HTTPSession(configuration: configuration)
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let error = try await urlError { try await session.data(from: url) }
        #expect(error.code == .cannotCreateFile)
    }
}
#endif
