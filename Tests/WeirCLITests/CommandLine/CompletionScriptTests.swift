import Foundation
import Testing

@testable import WeirCLI

/// Asks the shells themselves what they would offer.
@Suite struct CompletionScriptTests {
    private static let bash = "/bin/bash"
    private static var hasBash: Bool { FileManager.default.isExecutableFile(atPath: bash) }

    private func run(_ script: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.bash)
        process.arguments = ["--norc", "--noprofile", "-c", script]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// What bash offers when the cursor is at the end of the last word.
    private func offers(_ words: [String]) throws -> [String] {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        return try run(
            CompletionScript.text(for: .bash, Program.tables) + """
                cd /
                COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
                _weir
                printf '%s\\n' "${COMPREPLY[@]}"
                """
        ).split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: hasBash, "needs bash")) func bashOffersCommands() throws {
        let all = Program.tables.map(\.name) + ["-h", "--help", "--version"]
        #expect(Set(try offers(["weir", ""])) == Set(all))
        #expect(try offers(["weir", "comp"]) == ["completion"])
    }

    @Test(.enabled(if: hasBash, "needs bash")) func bashOffersOptionsAndTheirValues() throws {
        for table in Program.tables {
            let all = table.options.flatMap { CompletionScript.spellings($0) }
            #expect(Set(try offers(["weir", table.name, "-"])) == Set(all))
            #expect(try offers(["weir", table.name, "--color", "a"]) == ["auto", "always"])
            #expect(try offers(["weir", table.name, "--color", "=", "n"]) == ["never"])
            #expect(try offers(["weir", table.name, "--color", "="]) == ["auto", "always", "never"])
            #expect(try offers(["weir", table.name, "--width", ""]) == [])
        }
        #expect(try offers(["weir", "completion", ""]) == ["bash", "zsh"])
        #expect(try offers(["weir", "help", "comp"]) == ["completion"])
    }

    /// Where a value is one of a list, the list is offered.
    @Test(.enabled(if: hasBash, "needs bash")) func linksAreOffered() throws {
        #expect(try offers(["weir", "audit", "--link", "3"]) == ["3g"])
        #expect(try offers(["weir", "serve", "--link", "=", "3"]) == ["3g"])
        let zsh = CompletionScript.text(for: .zsh, Program.tables)
        let lines = zsh.split(separator: "\n").filter { $0.contains("--link=") }
        #expect(lines.count >= 3 && lines.allSatisfy { $0.contains(" 3g ") }, "\(lines)")
    }

    @Test func zshNamesEverything() {
        let script = CompletionScript.text(for: .zsh, Program.tables)
        #expect(script.hasPrefix("#compdef weir\n"))
        for table in Program.tables {
            #expect(script.contains("'\(table.name):\(table.abstract)'"))
            for option in table.options { #expect(script.contains(option.spelling)) }
        }
    }

    @Test func commandPrintsTheScript() async {
        for shell in CompletionScript.Shell.allCases {
            let outcome = await Shell().run("completion \(shell.rawValue)")
            #expect(outcome.status == .success)
            #expect(outcome.output == CompletionScript.text(for: shell, Program.tables))
        }
    }
}
