/// A script that tells a shell how the program's command lines go on.
enum CompletionScript {
    /// A shell that is served.
    enum Shell: String, CaseIterable, Sendable {
        case bash
        case zsh
    }

    /// The script for a shell.
    static func text(for shell: Shell, _ tables: [CommandTable]) -> String {
        switch shell {
        case .bash: bash(tables)
        case .zsh: zsh(tables)
        }
    }

    /// The names of the commands that are offered.
    static func names(_ tables: [CommandTable]) -> [String] {
        tables.filter { !$0.isHidden }.map(\.name)
    }

    /// What may be typed for an option: both forms.
    static func spellings(_ option: Option) -> [String] {
        (option.short.map { ["-\($0)"] } ?? []) + [option.spelling]
    }
}
