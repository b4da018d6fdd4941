/// `weir completion bash|zsh`.
struct CompletionCommand: Command {
    private static let shell = Operand(
        "SHELL", "bash or zsh", completion: .words(CompletionScript.Shell.allCases.map(\.rawValue)))

    static let table = CommandTable(
        "completion", abstract: "print the completion script of a shell",
        discussion: ["Evaluated by the shell, the script completes commands, options, their values and file names."],
        operands: [shell],
        examples: [
            ("completion bash > ~/.local/share/bash-completion/completions/weir", "For bash, from the next shell on."),
            ("completion zsh > ~/.zfunc/_weir", "For zsh, when ~/.zfunc is in $fpath."),
        ])

    private let shell: CompletionScript.Shell

    init(_ arguments: ParsedArguments) throws(UsageError) {
        shell = try arguments.word(Self.shell, as: CompletionScript.Shell.self)
    }

    func run(_ context: Context) async -> ExitCode {
        context.output.write(CompletionScript.text(for: shell, Program.tables))
        return .success
    }
}
