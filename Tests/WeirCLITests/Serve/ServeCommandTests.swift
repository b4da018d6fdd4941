import Foundation
import Testing
import WeirClient
import WeirModel

@testable import WeirCLI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `weir serve` over real sockets.
@Suite struct ServeCommandTests {
    private struct Answer {
        var status: Int
        var body: String
        var response: HTTPURLResponse

        func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
    }

    /// One exchange, redirects not followed.
    private func fetch(
        _ url: String, method: String = "GET", _ fields: [String: String] = [:]
    ) async throws -> Answer {
        var configuration = HTTPSession.Configuration()
        configuration.redirects = .deliver
        configuration.proxy = .none
        let session = HTTPSession(configuration: configuration)
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let result: Result<(Data, HTTPURLResponse), any Error>
        do { result = .success(try await session.data(for: request)) } catch { result = .failure(error) }
        session.invalidate()
        await session.drain()
        let (data, response) = try result.get()
        return Answer(status: response.statusCode, body: String(decoding: data, as: UTF8.self), response: response)
    }

    // MARK: - Files

    @Test func servesADirectory() async throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path + "/sub", withIntermediateDirectories: true)
        _ = try scratch.file("index.html", Data("<p>hello".utf8))
        _ = try scratch.file("sub/index.html", Data("sub".utf8))
        _ = try scratch.file("a b.json", Data("{}".utf8))
        _ = try scratch.file(".secret", Data("no".utf8))
        let running = Running(["serve", scratch.path])
        let url = await running.url()
        #expect(url.hasPrefix("http://127.0.0.1:"))

        let index = try await fetch(url + "/")
        #expect(index.status == 200 && index.body == "<p>hello")
        #expect(index.field("Content-Type") == "text/html; charset=utf-8")
        let tag = try #require(index.field("ETag"))
        #expect(try await fetch(url + "/", ["If-None-Match": tag]).status == 304)
        let date = try #require(index.field("Last-Modified"))
        #expect(try await fetch(url + "/", ["If-Modified-Since": date]).status == 304)
        let part = try await fetch(url + "/index.html", ["Range": "bytes=3-6"])
        #expect(part.status == 206 && part.body == "hell")
        #expect(try await fetch(url + "/a%20b.json").field("Content-Type") == "application/json")
        let directory = try await fetch(url + "/sub?x=1")
        #expect(directory.status == 301 && directory.field("Location") == "/sub/?x=1")
        #expect(try await fetch(url + "/sub/").body == "sub")
        #expect(try await fetch(url + "/.secret").status == 404)
        #expect(try await fetch(url + "/none.txt").status == 404)
        #expect(try await fetch(url + "/", method: "PUT").field("Allow") == "GET, HEAD")
        // A change is served at once, under another tag.
        _ = try scratch.file("index.html", Data("<p>changed".utf8))
        let changed = try await fetch(url + "/", ["If-None-Match": tag])
        #expect(changed.status == 200 && changed.body == "<p>changed")

        let outcome = await running.interrupt()
        #expect(outcome.status == .success)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first.map(String.init) == url)
        #expect(lines.contains { $0.hasPrefix("200  ") && $0.hasSuffix(" GET /") })
        #expect(lines.contains { $0.hasPrefix("404  ") && $0.hasSuffix(" GET /.secret") })
        #expect(lines.last?.hasPrefix("11 requests; 11 connections; ") == true)
        #expect(outcome.errors.contains("weir: serving the files of \(scratch.path)"))
    }

    @Test func linksThatLeadOutAreNotFollowed() async throws {
        let outside = try Scratch()
        _ = try outside.file("secret.txt", Data("secret".utf8))
        let scratch = try Scratch()
        _ = try scratch.file("inside.txt", Data("inside".utf8))
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: scratch.path + "/out.txt", withDestinationPath: outside.path + "/secret.txt")
        try files.createSymbolicLink(atPath: scratch.path + "/in.txt", withDestinationPath: "inside.txt")
        // Nor are those that would show what is hidden.
        _ = try scratch.file(".secret", Data("secret".utf8))
        try files.createSymbolicLink(atPath: scratch.path + "/shown.txt", withDestinationPath: ".secret")
        let running = Running(["serve", scratch.path, "--quiet"])
        let url = await running.url()
        #expect(try await fetch(url + "/out.txt").status == 404)
        #expect(try await fetch(url + "/in.txt").body == "inside")
        #expect(try await fetch(url + "/shown.txt").status == 404)
        #expect(await running.interrupt().output.split(separator: "\n").count == 2)
    }

    @Test func largeFilesHaveRanges() async throws {
        let scratch = try Scratch()
        let path = try scratch.file("large.bin", Data())
        let handle = try #require(FileHandle(forWritingAtPath: path))
        let size = FileFixtures.wholeSize + 1_000_000
        // A hole takes no room.
        try handle.truncate(atOffset: UInt64(size - 3))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("end".utf8))
        try handle.close()
        let running = Running(["serve", scratch.path, "--quiet"])
        let url = await running.url() + "/large.bin"
        let last = try await fetch(url, ["Range": "bytes=-3"])
        #expect(last.status == 206 && last.body == "end")
        #expect(last.field("Content-Range") == "bytes \(size - 3)-\(size - 1)/\(size)")
        let middle = try await fetch(url, ["Range": "bytes=\(size - 200_000)-\(size - 100_001)"])
        #expect(middle.status == 206 && middle.body.utf8.count == 100_000)
        let none = try await fetch(url, ["Range": "bytes=\(size)-"])
        #expect(none.status == 416 && none.field("Content-Range") == "bytes */\(size)")
        let head = try await fetch(url, method: "HEAD")
        #expect(head.status == 200 && head.field("Content-Length") == "\(size)")
        #expect(head.field("Accept-Ranges") == "bytes")
        let tag = try #require(head.field("ETag"))
        #expect(try await fetch(url, ["Range": "bytes=-3", "If-Range": tag]).status == 206)
        let other = try await fetch(url, method: "HEAD", ["Range": "bytes=-3", "If-Range": "\"other\""])
        #expect(other.status == 200)
        _ = await running.interrupt()
    }

    @Test(
        arguments: [
            ("/", []), ("/a/b", ["a", "b"]), ("//a//b/", ["a", "b"]), ("/a%20b", ["a b"]), ("/%C3%A9", ["é"]),
            ("/.well-known/x", [".well-known", "x"]),
        ] as [(String, [String])])
    func pathsAreTakenApart(_ path: String, _ segments: [String]) {
        #expect(FileFixtures.segments(Array(path.utf8), after: "") == segments)
    }

    @Test(arguments: [
        "/..", "/a/../b", "/%2e%2e/x", "/.%2e", "/./a", "/.git/config", "/a%2fb", "/a%5cb", "/a%00", "/%", "/%4",
        "/%zz",
        "/%ff", "", "a",
    ])
    func pathsThatEscapeAreNone(_ path: String) {
        #expect(FileFixtures.segments(Array(path.utf8), after: "") == nil)
    }

    @Test func datesAreThoseOfHTTP() {
        func date(_ seconds: Int64) -> String {
            FileStamp(device: 0, inode: 0, size: 0, seconds: seconds, nanoseconds: 0).httpDate
        }
        #expect(date(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(date(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(date(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(date(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(date(1_796_000_000) == "Mon, 30 Nov 2026 00:53:20 GMT")
    }

    // MARK: - Routes

    @Test func servesRoutes() async throws {
        let scratch = try Scratch()
        _ = try scratch.file("cover.png", Data([1, 2, 3]))
        let file = try scratch.file(
            "routes.json",
            Data(
                #"""
                {"headers": {"Cache-Control": "no-store"}, "routes": [
                  {"path": "/me", "json": {"id": "u-1", "list": [1, 2]}},
                  {"method": "POST", "path": "/books", "status": 201, "headers": {"Location": "/books/7", "X": ["a", "b"]}},
                  {"path": "/books/:id/pages/:page", "json": {"book": "{:id}", "page": "{:page}"}},
                  {"path": "/search", "query": {"q": "swift"}, "body": "found", "type": "text/css"},
                  {"path": "/search", "body": "nothing"},
                  {"path": "/cover", "file": "cover.png"},
                  {"path": "/slow", "body": "late", "delay": 120},
                  {"path": "/flaky", "answers": [{"status": 503}, {"body": "one"}, {"body": "two"}]},
                  {"path": "/turns", "answers": [{"body": "a"}, {"body": "b"}], "then": "repeat"},
                  {"path": "/once", "answers": [{"body": "a"}], "then": "none"},
                  {"path": "/stream", "pieces": ["a", {"pause": 10}, {"base64": "Yg=="}, {"size": 3}], "chunked": true},
                  {"path": "/gone", "fault": "reset"},
                  {"path": "/static/*", "directory": "."}
                ]}
                """#.utf8))
        let running = Running(["serve", file, "--cors"])
        let url = await running.url()
        let me = try await fetch(url + "/me")
        #expect(me.body == #"{"id": "u-1", "list": [1, 2]}"#)
        #expect(me.field("Content-Type") == "application/json" && me.field("Cache-Control") == "no-store")
        let made = try await fetch(url + "/books", method: "POST")
        #expect(made.status == 201 && made.field("Location") == "/books/7")
        #expect(try await fetch(url + "/books/a%22b/pages/3").body == #"{"book": "a\"b", "page": "3"}"#)
        let found = try await fetch(url + "/search?q=swift&x=1")
        #expect(found.body == "found" && found.field("Content-Type") == "text/css")
        #expect(try await fetch(url + "/search?q=c").body == "nothing")
        #expect(try await fetch(url + "/cover").field("Content-Type") == "image/png")
        #expect(try await fetch(url + "/slow").body == "late")
        var flaky: [String] = []
        for _ in 0..<4 {
            let answer = try await fetch(url + "/flaky")
            flaky.append("\(answer.status)\(answer.body)")
        }
        #expect(flaky == ["503", "200one", "200two", "200two"])
        var turns = ""
        for _ in 0..<5 { turns += try await fetch(url + "/turns").body }
        #expect(turns == "ababa")
        #expect(try await fetch(url + "/once").status == 200)
        #expect(try await fetch(url + "/once").status == 404)
        let stream = try await fetch(url + "/stream").body
        #expect(stream.hasPrefix("ab") && stream.utf8.count == 5)
        await #expect(throws: URLError.self) { try await fetch(url + "/gone") }
        #expect(try await fetch(url + "/static/cover.png").field("Content-Type") == "image/png")

        let missing = try await fetch(url + "/mee")
        #expect(missing.status == 404 && missing.body == "No route takes GET /mee. Did you mean /me?\n")
        let method = try await fetch(url + "/books")
        #expect(method.status == 405 && method.field("Allow") == "POST")

        let preflight = try await fetch(
            url + "/me", method: "OPTIONS",
            ["Origin": "http://page", "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "x-a"])
        #expect(preflight.status == 204 && preflight.field("Access-Control-Allow-Methods") == "PUT")
        #expect(preflight.field("Access-Control-Allow-Headers") == "x-a")
        #expect(preflight.field("Access-Control-Allow-Origin") == "http://page")
        let read = try await fetch(url + "/me", ["Origin": "http://page"])
        #expect(read.field("Access-Control-Allow-Credentials") == "true")
        #expect(read.field("Access-Control-Expose-Headers") == "cache-control, content-type")

        // A change is followed; a mistake is told, and changes nothing.
        _ = try scratch.file("routes.json", Data(#"[{"path": "/new", "body": "new"}]"#.utf8))
        #expect(try await fetch(url + "/new").body == "new")
        _ = try scratch.file("routes.json", Data(#"[{"path": "/new", "bodi": "newer"}]"#.utf8))
        #expect(try await fetch(url + "/new").body == "new")
        let outcome = await running.interrupt()
        #expect(outcome.status == .success)
        #expect(outcome.errors.contains("has changed: 1 routes"))
        #expect(
            outcome.errors.contains(
                "routes.json, line 1, column 19: A route has no \"bodi\". Did you mean \"body\"?; the routes stay as they were"
            ))
    }

    @Test(arguments: [
        ("[", "line 1, column 2: This is not JSON: "), ("[1]", "line 1, column 2: A route must be an object"),
        ("[{}]", "line 1, column 2: This route has no \"path\"."),
        ("{\"log\": {\"entries\": []}}", "line 1, column 2: This is a HAR file, it seems: its name must end in .har."),
        (
            "[{\"path\": \"/\", \"status\": 204, \"body\": \"x\"}]",
            "An answer of status 204 has no body, and this one has \"body\"."
        ),
        ("[{\"path\": \"/\", \"body\": \"x\", \"type\": \"x\\r\\ny\"}]", "The type has a control character in it."),
        ("{}", "line 1, column 1: The file has no \"routes\"."),
        ("[\n {\"path\": \"a\"}]", "line 2, column 11: The path \"a\" must begin with a slash"),
        ("[{\"path\": \"/:\"}]", "The path \"/:\" must begin"),
        ("[{\"path\": \"/*/a\"}]", "The path \"/*/a\" must begin"),
        ("[{\"path\": \"/:a/:a\"}]", "The path"),
        ("[{\"path\": 1}]", "\"path\" must be a string, and this is a number."),
        ("[{\"path\": \"/\", \"status\": 99}]", "\"status\" must be a whole number from 200 to 999."),
        ("[{\"path\": \"/\", \"method\": \"get\"}]", "must be in capitals"),
        ("[{\"path\": \"/\", \"body\": \"\", \"json\": 1}]", "\"body\" and \"json\" exclude each other"),
        ("[{\"path\": \"/\", \"delay\": -1}]", "\"delay\" must be a number of milliseconds"),
        ("[{\"path\": \"/\", \"answers\": []}]", "\"answers\" is empty."),
        ("[{\"path\": \"/\", \"answers\": [{}], \"status\": 200}]", "A route with \"answers\" has no \"status\""),
        ("[{\"path\": \"/\", \"then\": \"last\"}]", "\"then\" goes with \"answers\""),
        ("[{\"path\": \"/\", \"pieces\": [{\"x\": 1}]}]", "A piece is a string, or an object with one of"),
        ("[{\"path\": \"/\", \"fault\": \"fire\"}]", "\"fault\" must be"),
        ("[{\"path\": \"/\", \"headers\": {\"a b\": \"\"}}]", "is no name of a header field"),
        ("[{\"path\": \"/\", \"headers\": {\"Content-Length\": \"1\"}}]", "The server writes Content-Length itself"),
        ("[{\"path\": \"/\", \"base64\": \"?\"}]", "This is not Base64."),
        ("[{\"path\": \"/:a\", \"directory\": \".\"}]", "A \"directory\" needs a path that ends in /*"),
        ("[{\"path\": \"/\", \"path\": \"/\"}]", "\"path\" is given twice."),
        ("[{\"path\": \"/\"},]", "This is not JSON: "),
    ])
    func mistakesHaveAPlace(_ text: String, _ message: String) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("routes.json", Data(text.utf8))
        let outcome = await Shell().run(arguments: ["serve", file])
        #expect(outcome.status == .badInput)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("weir: \(file), line "))
        #expect(outcome.output.isEmpty)
    }

    // MARK: - Options

    @Test func linksHaveNamesAndNumbers() throws {
        func profile(_ options: String...) throws -> LinkOption {
            let split = SplitArguments(["x"] + options, first: 1)
            return try LinkOption(ParsedArguments(split, table: ServeCommand.table))
        }
        #expect(try profile("--link", "3G").profile == .threeG)
        #expect(try profile("--link=all-lost").profile == .allLost)
        #expect(try profile().profile == nil)
        let own = try profile("--link", "780/0/201", "--loss", "2.5", "--jitter", "30", "--seed", "9")
        #expect(own.profile?.downlinkBitsPerSecond == 780_000 && own.profile?.uplinkBitsPerSecond == nil)
        #expect(own.profile?.roundTrip == .milliseconds(201))
        #expect(own.profile?.lossRate == 0.025 && own.profile?.jitter == .milliseconds(30) && own.seed == 9)
        for wrong in ["5g", "1/2", "1/2/3/4", "+1/2/3", "1/2/", "a/b/c", "1e3/1/1", "1/1/700000"] {
            #expect(throws: UsageError.self) { try profile("--link", wrong) }
        }
        #expect(throws: UsageError.self) { try profile("--loss", "101") }
    }

    @Test func aLinkIsFelt() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("routes.json", Data(#"[{"path": "/a", "body": "a"}]"#.utf8))
        let running = Running(["serve", file, "--link", "0/0/100", "--json"])
        let url = await running.url()
        let start = ContinuousClock.now
        #expect(try await fetch(url + "/a").body == "a")
        #expect(start.duration(to: .now) >= .milliseconds(190))
        let outcome = await running.interrupt()
        let line = try #require(outcome.output.split(separator: "\n").dropFirst().first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["status"] as? Int == 200 && object["target"] as? String == "/a")
        #expect(outcome.errors.contains("0/0/100 (no limit of rate, 100 ms round trip)"))
    }

    @Test func whatCannotBeServedIsSaid() async throws {
        let outcome = await Shell().run(arguments: ["serve", "/nowhere/at/all"])
        #expect(outcome.status == .badInput)
        #expect(outcome.errors == "weir: there is no directory or file /nowhere/at/all\n")
        #expect(await Shell().run("serve").status == .usage)
        #expect(await Shell().run("serve . --port 70000").status == .usage)
        let scratch = try Scratch()
        let running = Running(["serve", scratch.path])
        let port = await running.url().split(separator: ":").last.map(String.init) ?? ""
        let second = await Shell().run(arguments: ["serve", scratch.path, "--port", port])
        #expect(second.status == .system)
        #expect(second.errors.contains("Address already in use"))
        #expect(await running.interrupt().status == .success)
    }

    /// The output goes to a file, and nothing waits on a thread: the writing end of a pipe can slip into a child of a test
    /// beside this one, whose end would then have to be awaited.
    @Test(.enabled(if: ProcessTests.program != nil, "needs the built program"))
    func controlCEndsTheProgram() async throws {
        let scratch = try Scratch()
        let output = try scratch.file("output.txt", Data())
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            "$weir" serve "$folder" >"$output" & server=$!
            until grep -q '^http://127' "$output"; do sleep 0.05; done
            kill -INT "$server"
            wait "$server"
            """,
        ]
        process.environment = [
            "weir": try #require(ProcessTests.program), "folder": scratch.path, "output": output,
            "PATH": "/usr/bin:/bin",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        #expect(process.terminationStatus == 0)
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix("0 requests; 0 connections; 0 B sent; ") == true)
    }
}
