import Testing

@testable import WeirCLI

@Suite struct ProgramTests {
    private let shell = Shell()

    @Test func help() async {
        let help = await shell.run("--help")
        #expect(help.status == .success)
        #expect(help.errors == "")
        #expect(
            help.output.hasPrefix("weir: measure the network behaviour of a screen, and hold it to a budget\n\nUsage: ")
        )
        for table in Program.tables { #expect(help.output.contains("\n  \(table.name)  ") == !table.isHidden) }
        #expect(await shell.run("-h").output == help.output)
        #expect(await shell.run("help").output == help.output)
    }

    @Test func helpOfEveryCommandFitsItsWidth() async {
        for table in Program.tables {
            let long = await shell.run("\(table.name) --help")
            #expect(long.status == .success && long.errors == "")
            #expect(long.output.contains("Usage: weir \(table.name) [OPTIONS]"))
            #expect(await shell.run("help \(table.name)").output == long.output)
            // Help is given also when the rest of the line is wrong.
            #expect(await shell.run("\(table.name) --nonsense -h x y z").output == long.output)
            for option in table.options { #expect(long.output.contains(option.spelling), "\(option.name)") }
            for width in [40, 60, 80, 100] {
                var shell = shell
                shell.width = width
                let lines = await shell.run("help \(table.name)").output.split(separator: "\n")
                // Usage and examples are lines to copy, and are not broken.
                let copied = lines.filter { $0.hasPrefix("  weir ") || $0.hasPrefix("Usage:") }
                for line in lines where !copied.contains(line) && width >= 60 {
                    #expect(line.count <= width, "\(table.name) at \(width): \(line)")
                }
            }
        }
    }

    @Test func goldenHelp() async {
        #expect(
            await shell.run("help completion").output == """
                weir completion: print the completion script of a shell

                Usage: weir completion [OPTIONS] SHELL

                Evaluated by the shell, the script completes commands, options, their values and
                file names.

                Arguments:
                  SHELL  bash or zsh

                Options:
                      --color WHEN     Colours: auto (on a terminal, unless NO_COLOR is set),
                                       always or never
                      --width COLUMNS  The width of a line; else COLUMNS, the terminal's, or 80
                  -h, --help           Show this help and exit

                Exit status:
                  0    The command did its work
                  64   The command line is wrong
                  71   The system did not give what was needed, such as memory or a socket
                  74   Standard output cannot be written, for example because the disk is full
                  130  Interrupted by Control-C

                Examples:
                  weir completion bash > ~/.local/share/bash-completion/completions/weir
                      For bash, from the next shell on.
                  weir completion zsh > ~/.zfunc/_weir
                      For zsh, when ~/.zfunc is in $fpath.

                """)
    }

    @Test func version() async {
        let version = await shell.run("--version")
        #expect(version.status == .success)
        #expect(version.output == "weir \(Program.version)\n")
    }

    @Test(arguments: [
        ("", "weir: a command is missing\nUsage: weir COMMAND [OPTIONS]\n'weir --help' tells more.\n"),
        (
            "compltion bash",
            "weir: unknown command 'compltion'; did you mean 'completion'?\nUsage: weir COMMAND [OPTIONS]\n"
                + "'weir --help' tells more.\n"
        ),
        (
            "--verison",
            "weir: unknown option '--verison' (argument 1); did you mean '--version'?\nUsage: weir COMMAND [OPTIONS]\n"
                + "'weir --help' tells more.\n"
        ),
        (
            "help hlep",
            "weir: unknown command 'hlep'; did you mean 'help'?\nUsage: weir COMMAND [OPTIONS]\n'weir --help' tells more.\n"
        ),
        (
            "completion",
            "weir completion: SHELL is missing\nUsage: weir completion [OPTIONS] SHELL\n'weir completion --help' tells more.\n"
        ),
        (
            "completion fish",
            "weir completion: SHELL (argument 2) is 'fish', but should be bash or zsh\n"
                + "Usage: weir completion [OPTIONS] SHELL\n'weir completion --help' tells more.\n"
        ),
        (
            "completion bash --width 5",
            "weir completion: --width (argument 3) is '5', but should be a whole number from 20 to 1000\n"
                + "Usage: weir completion [OPTIONS] SHELL\n'weir completion --help' tells more.\n"
        ),
    ])
    func usageErrors(line: String, expected: String) async {
        let outcome = await shell.run(line)
        #expect(outcome.status == .usage)
        #expect(outcome.status.rawValue == 64)
        #expect(outcome.output == "")
        #expect(outcome.errors == expected)
    }

    @Test func hostileArgumentsDoNotReachTheTerminal() async {
        for text in ["\u{1B}]0;x\u{7}", "--\u{1B}[2J", "a\nb", "-\u{202E}", String(repeating: "x", count: 1_000_000)] {
            let outcome = await shell.run(arguments: [text])
            #expect(outcome.status == .usage)
            #expect(!outcome.errors.contains("\u{1B}") && !outcome.errors.contains("\u{202E}"))
            #expect(outcome.errors.split(separator: "\n").count == 3)
            #expect(outcome.errors.count < 300)
        }
    }

    @Test func coloursFollowTheTerminalAndTheOption() async {
        var terminal = shell
        terminal.isTerminal = true
        #expect(await terminal.run("help").output.contains("\u{1B}[1mUsage:\u{1B}[0m"))
        #expect(await terminal.run("help --color never").output == shell.run("help").output)
        #expect(await shell.run("help --color always").output.contains("\u{1B}[1m"))
        terminal.environment = ["NO_COLOR": "1"]
        #expect(await terminal.run("help").output == shell.run("help").output)
    }
}
