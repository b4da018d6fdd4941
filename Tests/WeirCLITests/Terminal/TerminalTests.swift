import Foundation
import Testing

@testable import WeirCLI

@Suite struct TerminalTests {
    @Test(arguments: [("120", 120), ("1000000", 10_000), ("0", 80), ("", 80), ("+100", 80), ("wide", 80), (nil, 80)])
    func widthWithoutATerminal(columns: String?, expected: Int) throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null"))
        let environment = columns.map { ["COLUMNS": $0] } ?? [:]
        #expect(Terminal.width(of: file.fileDescriptor, environment: environment) == expected)
        #expect(!Terminal.isTerminal(file.fileDescriptor))
    }

    #if os(Linux)
    @Test(.enabled(if: access("/dev/ptmx", R_OK | W_OK) == 0, "needs /dev/ptmx"))
    func widthOfATerminal() throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        var size = winsize(ws_row: 24, ws_col: 133, ws_xpixel: 0, ws_ypixel: 0)
        #expect(ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
        #expect(Terminal.width(of: terminal, environment: [:]) == 133)
        #expect(Terminal.width(of: terminal, environment: ["COLUMNS": "70"]) == 70)
        #expect(Terminal.isTerminal(terminal))
    }
    #endif

    @Test func descriptorsAreWrittenWholeAndInOrder() throws {
        let scratch = try Scratch()
        let path = try scratch.file("out", Data())
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let output = DescriptorOutput(file.fileDescriptor, capacity: 100)
        let text = (0..<1_000).map { "line \($0)\n" }
        for line in text { output.write(line) }
        output.flush()
        #expect(output.problem == nil)
        #expect(!output.isAbandoned)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text.joined())
    }

    @Test func aDescriptorThatIsNoneIsAProblem() {
        let output = DescriptorOutput(-1, capacity: 0)
        output.write("x")
        output.write("y")
        #expect(output.problem == "Bad file descriptor")
    }
}
