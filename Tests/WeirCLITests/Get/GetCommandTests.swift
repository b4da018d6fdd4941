import Foundation
import Synchronization
import Testing
import WeirFormats
import WeirServer

@testable import WeirCLI

@Suite struct GetCommandTests {
    /// Runs with a server that answers as the paths say.
    private func withServer(_ body: (String) async throws -> Void) async throws {
        let server = try await LocalServer.start { request in
            switch request.path {
            case "/slow": .text("slow").delayed(by: .milliseconds(150))
            case "/moved": LocalServer.Response(status: 302, headers: [("Location", "/slow")])
            case "/cut":
                LocalServer.Response(status: 200, headers: [("Content-Length", "9")], body: [.text("a"), .close])
            case "/missing": .text("no", status: 404)
            case "/echo":
                .text(
                    "\(request.method) \(request.header("X-Tag") ?? "-") \(String(decoding: request.body, as: UTF8.self))"
                )
            default: .text("hello")
            }
        }
        defer { server.stop() }
        try await body("http://127.0.0.1:\(server.port)")
    }

    @Test func eachPhaseIsARow() async throws {
        try await withServer { base in
            let outcome = await Shell().run(arguments: ["get", base + "/slow"])
            #expect(outcome.status == .success, "\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines[0] == "GET \(base)/slow  200")
            #expect(lines[1].contains("http/1.1, 127.0.0.1:") && lines[1].contains("new connection"))
            for phase in ["queueing", "connect", "request", "waiting", "download"] {
                #expect(
                    lines.contains { $0.hasPrefix("  " + phase) && $0.contains(" ms  ") }, "\(phase)\n\(outcome.output)"
                )
            }
            #expect(!outcome.output.contains("  tls"))
            #expect(lines.contains { $0.contains("floor") && $0.contains("2R + S = ") && $0.contains("the server's") })
            #expect(lines.contains { $0.hasPrefix("  waiting ") && $0.hasSuffix(": make the server faster") })
            #expect(lines.allSatisfy { $0.count <= 80 })
        }
    }

    @Test func redirectsAreShownOneByOne() async throws {
        try await withServer { base in
            let outcome = await Shell(width: 120).run(arguments: ["get", base + "/moved"])
            #expect(outcome.output.contains("1/2 GET \(base)/moved  302\n"))
            #expect(outcome.output.contains("2/2 GET \(base)/slow  200"))
            #expect(outcome.output.contains("kept connection") && outcome.output.contains("  all "))
            let none = await Shell().run(arguments: ["get", "--max-redirects", "0", base + "/moved"])
            #expect(none.output.contains("/moved  302\n") && !none.output.contains("2/2"))
        }
    }

    @Test func repetitionsTellNewConnectionsFromKeptOnes() async throws {
        try await withServer { base in
            let outcome = await Shell().run(arguments: ["get", "-n", "3", base + "/x"])
            #expect(outcome.status == .success)
            #expect(outcome.output.contains("3 requests over new connections, in ms"))
            #expect(outcome.output.contains("3 requests over kept connections, in ms"))
            let kept = outcome.output.components(separatedBy: "3 requests over kept connections").last ?? ""
            #expect(kept.contains("  waiting ") && !kept.contains("  connect "))
            #expect(outcome.output.contains("2R + S = ") && outcome.output.contains("  R + S = "))
        }
    }

    @Test func requestIsWhatWasAskedFor() async throws {
        try await withServer { base in
            let archive = FileManager.default.temporaryDirectory.appending(
                component: "weir-get-\(UUID().uuidString).har")
            defer { try? FileManager.default.removeItem(at: archive) }
            let outcome = await Shell().run(
                arguments: [
                    "get", "--json", "--header", "X-Tag: a b", "--data", "hi", "--har", archive.path, base + "/echo",
                    base + "/missing",
                ])
            #expect(outcome.status == .success, "\(outcome.errors)")
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            #expect(document["schema"] as? String == "weir.get/1")
            let fetches = try #require(document["fetches"] as? [[String: Any]])
            #expect(fetches.count == 2)
            let exchanges = fetches.compactMap { ($0["exchanges"] as? [[String: Any]])?.first }
            #expect(exchanges.map { $0["status"] as? Int } == [200, 404])
            #expect(exchanges.allSatisfy { $0["method"] as? String == "POST" })
            #expect(exchanges[0]["decodedBytes"] as? Int == "POST a b hi".utf8.count)
            // Either may come over the connection that the other one has made.
            #expect(exchanges.contains { $0["floorRoundTrips"] as? Int == 2 })
            let recording = try HARReader.read(Data(contentsOf: archive))
            #expect(recording.records.count == 2)
        }
    }

    /// A device is written to, and never replaced by a file.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no full device"))
    func archiveThatCannotBeWrittenIsAnError() async throws {
        try await withServer { base in
            let outcome = await Shell().run(arguments: ["get", "--har", "/dev/full", base + "/x"])
            #expect(outcome.status == .outputFailed)
            #expect(outcome.errors == "weir: /dev/full: It cannot be written: No space left on device.\n")
            let kind = try FileManager.default.attributesOfItem(atPath: "/dev/full")[.type] as? FileAttributeType
            #expect(kind == .typeCharacterSpecial)
        }
    }

    @Test func aLinkLeadsToTheNewArchive() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(component: "weir-get-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (link, target) = (folder.appending(component: "link.har"), folder.appending(component: "target.har"))
        try Data("old".utf8).write(to: target)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        try await withServer { base in
            #expect(await Shell().run(arguments: ["get", "--har", link.path, base + "/x"]).status == .success)
        }
        #expect(try HARReader.read(Data(contentsOf: target)).records.count == 1)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
    }

    @Test func severalHaveAWaterfall() async throws {
        try await withServer { base in
            let outcome = await Shell().run(arguments: ["get", base + "/a", base + "/slow"])
            #expect(outcome.output.contains("2 requests, 0 duplicates"))
            #expect(
                outcome.output.contains(" 1 GET /a") && outcome.output.contains(" 2 GET /slow"))
        }
    }

    @Test func failuresSayHowFarTheyCame() async throws {
        try await withServer { base in
            let cut = await Shell().run(arguments: ["get", base + "/cut"])
            #expect(cut.status == .failure)
            #expect(cut.output.contains("failed after the head of the response: "), "\(cut.output)")
            let refused = await Shell().run(arguments: ["get", "http://127.0.0.1:1/"])
            #expect(refused.status == .failure)
            #expect(refused.output.contains("failed after "), "\(refused.output)")
            let several = await Shell().run(arguments: ["get", "-n", "2", "http://127.0.0.1:1/"])
            #expect(several.output.contains("4 of 4 requests failed"), "\(several.output)")
        }
    }

    @Test func aFileWithoutACertificateIsNamed() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("none.pem", Data("no certificate".utf8))
        let outcome = await Shell().run("get https://127.0.0.1:1/ --cacert \(file)")
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains("--cacert (argument 3) is '"))
        #expect(outcome.errors.contains("but should be a readable file of certificates in PEM form"))
    }

    @Test(arguments: [
        ["ftp://h/"], ["http://"], ["http://h:99999/"], ["h"], [], ["-n", "0", "http://h/"],
        ["--header", "x", "http://h/"],
        ["--method", "G T", "http://h/"], ["--cacert", "/no/such/file", "https://h/"], ["--timeout", "0", "http://h/"],
    ])
    func wrongCommandLines(arguments: [String]) async {
        #expect(await Shell().run(arguments: ["get"] + arguments).status == .usage)
    }
}
