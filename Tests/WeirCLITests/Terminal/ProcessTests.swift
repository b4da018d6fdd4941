import Foundation
import Testing
import WeirServer

@testable import WeirCLI

/// The program as a process: what only a process has, such as pipes that close and signals.
@Suite struct ProcessTests {
    /// The program beside the tests' own bundle.
    static let program: String? = {
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let path = directory.appendingPathComponent("weir").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    private struct Outcome {
        var status: Int32
        var output: String
    }

    /// Runs a line of a POSIX shell in which `$weir` is the program; output and errors come together.
    private func shell(_ line: String) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.environment = ["weir": try #require(Self.program), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }

    private func process(_ arguments: [String]) throws -> (process: Process, input: Pipe, output: Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.program))
        process.arguments = arguments
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, input, output)
    }

    @Test(.enabled(if: program != nil, "needs the built program")) func exitStatuses() throws {
        #expect(try shell("$weir --version").status == 0)
        #expect(try shell("$weir").status == 64)
        #expect(try shell("$weir audit").status == 64)
        #expect(try shell("$weir audit /nowhere.har").status == 2)
        #expect(try shell("$weir audit /dev/null").status == 2)
        #expect(try shell("$weir audit - < /dev/null").output == "weir: standard input: The file is empty.\n")
    }

    @Test(.enabled(if: program != nil, "needs the built program")) func aReaderThatGoesAwayEndsItQuietly() throws {
        let scratch = try Scratch()
        let entries = (0..<3_000).map { SampleHAR.Entry(url: "http://h/\($0)", start: $0) }
        let file = try scratch.file("long.har", SampleHAR(entries: entries).data)
        let outcome = try shell("{ $weir audit '\(file)' --limit 0; echo status $? >&2; } | head -n 1")
        #expect(outcome.output == "My loans (p1)\nstatus 0\n" || outcome.output == "status 0\nMy loans (p1)\n")
        // One that shows each step when it is done stops at the next.
        let demo = try shell("{ $weir demo; echo status $? >&2; } | head -n 1")
        #expect(demo.output.contains("status 0\n"), "\(demo.output)")
    }

    @Test(
        .enabled(if: program != nil && FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
    func outputThatCannotBeWrittenIsAnError() throws {
        let outcome = try shell("$weir help > /dev/full")
        #expect(outcome.status == 74)
        #expect(outcome.output == "weir: cannot write the output: No space left on device\n")
    }

    @Test(.enabled(if: program != nil, "needs the built program")) func anInterruptEndsTheDemo() throws {
        let (process, _, output) = try process(["demo"])
        // The first step is shown when it was measured; five more are to come.
        var text = ""
        while !text.contains("✓") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        kill(process.processIdentifier, SIGINT)
        text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        #expect(!text.contains("expectations"))
    }

    /// What any session of a process does is in the file that its environment names, for `weir audit` to read.
    @Test(.enabled(if: program != nil, "needs the built program")) func theEnvironmentNamesARecordFile() async throws {
        let server = try await LocalServer.start { _ in .text("hello") }
        let scratch = try Scratch()
        let file = "\(scratch.path)/run.ndjson"
        for path in ["me?token=t0ps3cret", "loans"] {
            let outcome = try shell("WEIR_RECORD_FILE='\(file)' $weir get '\(server.baseURL)/\(path)'")
            #expect(outcome.status == 0, "\(outcome.output)")
        }
        let audit = await Shell().run("audit \(file) --waterfall")
        #expect(audit.status == .success && audit.output.contains("GET /me") && audit.output.contains("GET /loans"))
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(written.utf8.count { $0 == 0x0A } == 2 && !written.contains("t0ps3cret"))
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(rights?.intValue == 0o600)
        server.stop()
    }

    @Test(.enabled(if: program != nil, "needs the built program")) func anInterruptEndsReading() throws {
        let (process, input, _) = try process(["audit", "-"])
        // More than a pipe holds: when this returns, the program is reading.
        try input.fileHandleForWriting.write(contentsOf: Data(repeating: 0x20, count: 300_000))
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
    }
}
