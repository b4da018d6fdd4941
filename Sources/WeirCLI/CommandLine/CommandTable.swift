/// What a command takes: the one declaration behind its parsing, help, shell completion and checks.
struct CommandTable: Sendable {
    /// The name that is typed.
    var name: String
    /// One line, lower case, without a period.
    var abstract: String
    /// Paragraphs for the command's own help.
    var discussion: [String]
    /// What is given without a name, in order; only the last one may be optional or take several values.
    var operands: [Operand]
    /// The command's own options; those of every command are added to them.
    var ownOptions: [Option]
    /// What the exit status means.
    var exitStatuses: [(status: ExitCode, meaning: String)]
    /// Lines to try, without `weir`, and what they do.
    var examples: [(line: String, meaning: String)]
    /// Whether listings leave it out.
    var isHidden: Bool

    init(
        _ name: String, abstract: String, discussion: [String] = [], operands: [Operand] = [], options: [Option] = [],
        exitStatuses: [(status: ExitCode, meaning: String)] = [], examples: [(line: String, meaning: String)] = [],
        isHidden: Bool = false
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        self.operands = operands
        ownOptions = options
        self.exitStatuses = exitStatuses
        self.examples = examples
        self.isHidden = isHidden
    }

    /// What the exit status means, those of every command included, by their numbers.
    var allExitStatuses: [(status: ExitCode, meaning: String)] {
        let own = exitStatuses
        let common = ExitCode.common.filter { status, _ in !own.contains { $0.status == status } }
        return (own + common).sorted { $0.status.rawValue < $1.status.rawValue }
    }

    /// All options that the command takes.
    var options: [Option] { ownOptions + Option.common }

    /// The usage in one line: `weir audit [OPTIONS] FILE`.
    var usage: String {
        (["weir", name, "[OPTIONS]"] + operands.map(\.usage)).joined(separator: " ")
    }
}

/// A value that is told by its name: `--limit 20`, or a flag: `--json`.
struct Option: Sendable, Hashable {
    /// The name without the dashes.
    var name: String
    /// The letter of the short form, or nil.
    var short: Character?
    /// What stands for the value in help, in capitals; nil for a flag.
    var placeholder: String?
    /// Whether it may be given more than once.
    var isRepeatable: Bool
    /// What it does: a sentence without a period.
    var help: String
    /// What a shell offers for the value.
    var completion: Completion

    /// Something that is or is not given.
    static func flag(_ name: String, short: Character? = nil, _ help: String) -> Option {
        Option(name: name, short: short, placeholder: nil, isRepeatable: false, help: help, completion: .none)
    }

    /// Something with a value.
    static func value(
        _ name: String, short: Character? = nil, _ placeholder: String, _ help: String, isRepeatable: Bool = false,
        completion: Completion = .none
    ) -> Option {
        Option(
            name: name, short: short, placeholder: placeholder, isRepeatable: isRepeatable, help: help,
            completion: completion)
    }

    static let help = flag("help", short: "h", "Show this help and exit")
    static let color = value(
        "color", "WHEN", "Colours: auto (on a terminal, unless NO_COLOR is set), always or never",
        completion: .words(["auto", "always", "never"]))
    static let width = value("width", "COLUMNS", "The width of a line; else COLUMNS, the terminal's, or 80")
    static let version = flag("version", "Show the version and exit")

    /// The options of every command.
    static let common: [Option] = [color, width, help]

    /// How it is written in messages: `--limit`.
    var spelling: String { "--\(name)" }
}

/// A value that is told by its place.
struct Operand: Sendable, Hashable {
    /// How many values it takes.
    enum Arity: Sendable, Hashable {
        case one
        case optional
        case many
    }

    /// The name in help, in capitals.
    var name: String
    var arity: Arity
    var help: String
    var completion: Completion

    init(_ name: String, _ help: String, arity: Arity = .one, completion: Completion = .none) {
        self.name = name
        self.arity = arity
        self.help = help
        self.completion = completion
    }

    var usage: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .many: "\(name)..."
        }
    }
}

/// What a shell offers for a value.
enum Completion: Sendable, Hashable {
    case none
    case file
    case words([String])
    /// The names of the commands.
    case commands
}
