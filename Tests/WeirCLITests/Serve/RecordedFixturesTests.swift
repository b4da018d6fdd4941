import Foundation
import Testing
import WeirClient

@testable import WeirCLI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Recordings that are served.
@Suite struct RecordedFixturesTests {
    private static let archive = #"""
        {"log": {"version": "1.2", "entries": [
          {"request": {"method": "GET", "url": "https://shop.example/list?page=1&sort=up"},
           "response": {"status": 200, "headers": [
              {"name": "Content-Type", "value": "application/json"}, {"name": "content-encoding", "value": "gzip"},
              {"name": "Set-Cookie", "value": "a=b; Domain=shop.example; Secure; Path=/; SameSite=None"},
              {"name": ":status", "value": "200"}],
            "content": {"size": 9, "text": "{\"a\": 1}\n"}, "bodySize": 5},
           "timings": {"connect": 80, "ssl": 50, "wait": 170}},
          {"request": {"method": "GET", "url": "https://shop.example/list?page=2&sort=up"},
           "response": {"status": 200, "headers": [], "content": {"text": "c2Vjb25k", "encoding": "base64"}},
           "timings": {"connect": -1, "wait": 31}},
          {"request": {"method": "GET", "url": "https://shop.example/list?page=2&sort=up"},
           "response": {"status": 500, "headers": [], "content": {"text": "broken"}}, "timings": {"wait": 30}},
          {"request": {"method": "GET", "url": "https://cdn.example:8443/1.png"},
           "response": {"status": 200, "headers": [{"name": "Content-Type", "value": "image/png"}],
            "content": {"size": 3000}, "bodySize": 3000}, "timings": {"wait": 20}},
          {"request": {"method": "GET", "url": "https://shop.example/old"},
           "response": {"status": 302, "headers": [{"name": "Location", "value": "https://cdn.example:8443/1.png?x"}],
            "content": {}}, "timings": {"wait": 30}},
          {"request": {"method": "POST", "url": "https://shop.example/back"},
           "response": {"status": 303, "headers": [{"name": "location", "value": "https://shop.example/list?page=1"}],
            "content": {}}, "timings": {"wait": 30}},
          {"request": {"method": "GET", "url": "https://shop.example/aborted"},
           "response": {"status": 0, "headers": [], "content": {}}, "timings": {"wait": 5}},
          {"request": {"method": "GET", "url": "blob:x"}, "response": {"status": 200}, "timings": {}}
        ]}}
        """#

    private func fetch(
        _ url: String, method: String = "GET", host: String? = nil
    ) async throws -> (status: Int, data: Data, response: HTTPURLResponse, seconds: Double) {
        var configuration = HTTPSession.Configuration()
        configuration.redirects = .deliver
        configuration.proxy = .none
        let session = HTTPSession(configuration: configuration)
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        if let host { request.setValue(host, forHTTPHeaderField: "Host") }
        let start = ContinuousClock.now
        let result: Result<(Data, HTTPURLResponse), any Error>
        do { result = .success(try await session.data(for: request)) } catch { result = .failure(error) }
        let took = start.duration(to: .now)
        session.invalidate()
        await session.drain()
        let (data, response) = try result.get()
        return (
            response.statusCode, data, response,
            Double(took.components.attoseconds) / 1e18 + Double(took.components.seconds)
        )
    }

    @Test func playsARecordingAgain() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("page.har", Data(Self.archive.utf8))
        let running = Running(["serve", file])
        let url = await running.url()

        // 170 ms to the first byte, of which 30 were the round trip.
        let first = try await fetch(url + "/list?page=1&sort=up")
        #expect(first.status == 200 && String(decoding: first.data, as: UTF8.self) == "{\"a\": 1}\n")
        #expect(first.seconds >= 0.139)
        #expect(first.response.value(forHTTPHeaderField: "Content-Encoding") == nil)
        #expect(first.response.value(forHTTPHeaderField: "Set-Cookie") == "a=b; Path=/")
        // The order of a query says nothing, and repeated requests get one answer after the other.
        #expect(try await fetch(url + "/list?sort=up&page=2").data == Data("second".utf8))
        #expect(try await fetch(url + "/list?page=2&sort=up").status == 500)
        #expect(try await fetch(url + "/list?page=2&sort=up").status == 500)
        // A query that was not recorded gets what is nearest.
        #expect(try await fetch(url + "/list?page=1&sort=up&cache=123").status == 200)

        let image = try await fetch(url + "/@cdn.example:8443/1.png")
        #expect(image.status == 200 && image.data.count == 3000)
        #expect(image.response.value(forHTTPHeaderField: "Content-Type") == "image/png")
        #expect(try await fetch(url + "/1.png", host: "cdn.example:8443").data.count == 3000)
        let redirect = try await fetch(url + "/old")
        #expect(redirect.response.value(forHTTPHeaderField: "Location") == "/@cdn.example:8443/1.png?x")
        #expect(
            try await fetch(url + "/back", method: "POST").response.value(forHTTPHeaderField: "Location")
                == "/list?page=1")
        await #expect(throws: URLError.self) { try await fetch(url + "/aborted") }

        func missing(_ path: String) async throws -> String {
            let answer = try await fetch(url + path)
            #expect(answer.status == 404)
            return String(decoding: answer.data, as: UTF8.self)
        }
        #expect(
            try await missing("/lisd")
                == "The recording has no GET shop.example/lisd. Near it are /list, /old or /back.\n")
        #expect(try await missing("/back").contains("but that path with POST"))
        #expect(
            try await missing("/@other/x")
                == "The recording has no host other; it has cdn.example:8443 or shop.example.\n")

        let outcome = await running.interrupt()
        #expect(outcome.status == .success)
        #expect(
            outcome.errors.contains(
                "weir: serving 7 exchanges of \(file), recorded from shop.example and, below /@HOST/, cdn.example:8443; 1 bodies"
            ))
    }

    @Test(arguments: [
        ("{}", "is no HTTP archive: it has no log.entries."), ("[", "is no HTTP archive: line 1, column 2"),
        ("{\"log\":{\"entries\":[]}}", "has no entry that can be served."),
    ])
    func saysWhatIsNoRecording(_ text: String, _ message: String) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("page.har", Data(text.utf8))
        let outcome = await Shell().run(arguments: ["serve", file])
        #expect(outcome.status == .badInput)
        #expect(outcome.errors.contains(message))
    }

    @Test(
        arguments: [
            ("http://A.example:80/x?b&a#c", "a.example", "/x", ["a", "b"]),
            ("https://u:p@h:443?q=1", "h", "/", ["q=1"]), ("HTTPS://h:8443", "h:8443", "/", []),
        ] as [(String, String, String, [String])])
    func urlsAreTakenApart(_ url: String, _ host: String, _ path: String, _ query: [String]) throws {
        let parts = try #require(RecordedArchive.parts(of: url))
        #expect(parts.host == host && parts.path == path && parts.query == query)
        #expect(RecordedArchive.parts(of: "ws://h/") == nil)
        #expect(RecordedArchive.parts(of: "http://") == nil)
    }

    @Test func cookiesComeBack() {
        #expect(LocalCookie.value("a=b; domain=x; HttpOnly; secure; SameSite=Lax") == "a=b; HttpOnly; SameSite=Lax")
        #expect(LocalCookie.value("secure=1") == "secure=1")
        #expect(LocalCookie.value("") == "")
    }
}
