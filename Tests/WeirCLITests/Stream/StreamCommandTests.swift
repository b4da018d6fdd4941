import Foundation
import Synchronization
import Testing
import WeirServer

@testable import WeirCLI

@Suite struct StreamCommandTests {
    private func stream(_ text: String, _ options: String...) async -> Shell.Outcome {
        await Shell(input: Data(text.utf8)).run(arguments: ["stream", "-"] + options)
    }

    @Test(arguments: [
        ("data: a\n\nevent: x\nid: 1\ndata: b\ndata: c\n\n", "a\n[x] b\nc\n"),
        (": ping\n\ndata: a\n\ndata: b", "a\nb\n"),
        ("{\"a\":1}\n\n{\"a\":2}", "{\"a\":1}\n{\"a\":2}\n"), ("\u{1E}{\"a\":1}\n\u{1E}[2]\n", "{\"a\":1}\n[2]\n"),
        (" [ {\"a\":1} , 2 ] ", "{\"a\":1}\n2\n"), ("one\r\n\ntwo", "one\n\ntwo\n"), ("", ""), ("date\n", "date\n"),
    ])
    func formatIsTakenFromTheFirstBytes(input: String, output: String) async {
        let outcome = await stream(input)
        #expect(outcome.output == output)
        #expect(outcome.status == .success)
    }

    @Test func formatCanBeNamed() async {
        #expect(await stream("[1,2]\n[3]\n", "--format", "ndjson").output == "[1,2]\n[3]\n")
        #expect(await stream("data: a\n\n", "--format", "lines").output == "data: a\n\n")
        #expect(await stream("{\"x\":[0],\"data\":[1,{\"b\":2}]}", "--at", "/data").output == "1\n{\"b\":2}\n")
    }

    @Test func countEndsIt() async {
        let outcome = await stream("1\n2\n3\n", "--format", "ndjson", "--count", "2")
        #expect(outcome.output == "1\n2\n")
        #expect(outcome.status == .success)
        #expect(outcome.errors.hasPrefix("2 messages, 6 B in 0.000 s\n"))
    }

    @Test func badMessagesAreToldAndTheRestComes() async {
        let outcome = await stream("\u{1E}{\"a\":\u{1E}1\n")
        #expect(outcome.output == "1\n")
        #expect(outcome.errors.contains("The message at byte 1 is incomplete"))
        #expect(outcome.status == .failure)
        let array = await stream("[1,2")
        #expect(array.output == "1\n")
        #expect(array.status == .failure)
        let other = await stream("{\"error\":\"x\"}", "--format", "json")
        #expect(other.errors.contains("is not an array"))
        #expect(other.status == .failure)
    }

    @Test func bareErrorLineIsShown() async {
        let outcome = await stream("{\"error\":{\"code\":429}}\n\n", "--format", "sse")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("{\"error\":{\"code\":429}}"))
        #expect(outcome.status == .failure)
    }

    @Test func jsonIsAnObjectForEachMessage() async throws {
        struct Line: Decodable, Equatable {
            var index: Int
            var type: String?
            var id: String?
            var data: String
        }
        let outcome = await stream("data: a\n\nevent: x\nid: 7\ndata: \"b\"\ndata: c/d\n\n", "--json")
        let lines = try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(
            lines == [
                Line(index: 0, type: nil, id: nil, data: "a"), Line(index: 1, type: "x", id: "7", data: "\"b\"\nc/d"),
            ])
    }

    @Test func timingShowsArrivalsAndTheSlowestStage() async {
        var shell = Shell(input: Data("{\"a\":1}\nnonsense\n".utf8))
        shell.clock = [0, 0.5, 0.75, 1]
        let outcome = await shell.run(arguments: ["stream", "-", "--format", "ndjson", "--timing"])
        #expect(outcome.output == "500.0 ms  +500.0 ms  {\"a\":1}\n750.0 ms  +250.0 ms  nonsense\n")
        #expect(outcome.errors.hasPrefix("2 messages, 17 B in 1.000 s, 1 bad\n"))
        #expect(outcome.errors.contains("the slowest stage is the "))
        for stage in ["network: ", "parser: ", "decoder: ", "consumer: "] { #expect(outcome.errors.contains(stage)) }
    }

    @Test func filesAreRead() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-\(UInt64.random(in: 0 ... .max)).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("{\"data\":[1,2]}".utf8).write(to: file)
        #expect(await Shell().run(arguments: ["stream", file.path, "--at", "/data"]).output == "1\n2\n")
        let none = await Shell().run(arguments: ["stream", file.path + "x"])
        #expect(none.status == .badInput)
        #expect(none.errors.contains("cannot read"))
    }

    @Test func terminalIsNotLeftToTheServer() async {
        let shell = Shell(isTerminal: true, input: Data("a\u{1B}[2Jb\n".utf8))
        #expect(await shell.run(arguments: ["stream", "-", "--color", "never"]).output == "a\\u{1B}[2Jb\n")
    }

    @Test func serverIsFollowed() async throws {
        let calls = LocalCalls()
        let server = try await LocalServer.start { request in
            switch request.path {
            case "/post":
                return .init(
                    headers: [("Content-Type", "application/x-ndjson")],
                    body: [
                        .text(
                            "{\"got\":\"\(String(decoding: request.body, as: UTF8.self)) \(request.header("X-A") ?? "")\"}\n"
                        )
                    ])
            case "/events":
                let number = calls.next()
                return .init(
                    headers: [("Content-Type", "text/event-stream")],
                    body: [
                        .text(
                            "retry: 1\nid: \(number)\ndata: \(number) after \(request.header("Last-Event-ID") ?? "none")\n\n"
                        )
                    ],
                    chunked: true)
            case "/plain": return .text("[1]")
            case "/cut":
                return .init(
                    headers: [("Content-Type", "application/x-ndjson")], body: [.text("1\n"), .close], chunked: true)
            default: return .text("no such thing", status: 404)
            }
        }
        defer { server.stop() }
        func run(_ path: String, _ options: String...) async -> Shell.Outcome {
            await Shell().run(arguments: ["stream", server.baseURL.absoluteString + path] + options)
        }
        let post = await run("/post", "--data", "hello", "--header", "X-A: b")
        #expect(post.output == "{\"got\":\"hello b\"}\n")
        #expect(await run("/events").output == "1 after none\n")
        let followed = await run("/events", "--reconnect", "--count", "3")
        #expect(followed.output == "2 after none\n3 after 2\n4 after 3\n")
        let plain = await run("/plain")
        #expect(plain.output == "1\n")
        #expect(plain.errors.contains("hold back the first 512 bytes"))
        let cut = await run("/cut")
        #expect(cut.output == "1\n")
        #expect(cut.errors.contains("the stream was cut"))
        #expect(cut.status == .failure)
        let missing = await run("/missing")
        #expect(missing.status == .badInput)
        #expect(missing.errors.contains("404: no such thing"))
    }

    @Test(arguments: [
        ["stream"], ["stream", "-", "--format", "xml"], ["stream", "-", "--at", "data"],
        ["stream", "-", "--count", "0"], ["stream", "ftp://h/a"], ["stream", "HTTPS://"],
        ["stream", "-", "--data", "x"], ["stream", "a.json", "--header", "A: b"], ["stream", "a.json", "--reconnect"],
        ["stream", "-", "--header", "nonsense"], ["stream", "-", "--reconnect", "--format", "lines"],
        ["stream", "-", "--reconnect", "--at", "/a"], ["stream", "http://"],
    ])
    func wrongCommandLines(arguments: [String]) async {
        let outcome = await Shell().run(arguments: arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.output.isEmpty)
    }

    @Test(arguments: [
        ("text/event-stream; charset=utf-8", StreamFormat.sse), ("Application/X-NDJSON", .ndjson),
        ("application/json-seq", .sequence),
        ("application/geo+json-seq", .sequence), ("application/json;charset=utf-8", .array),
        ("application/hal+json", .array),
        ("text/plain", nil), ("", nil),
    ])
    func contentTypesNameFormats(type: String, format: StreamFormat?) {
        #expect(StreamFormat(contentType: type) == format)
    }
}

/// Counts calls.
private final class LocalCalls: Sendable {
    private let count = Mutex(0)

    /// The number of this call, from 1.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
