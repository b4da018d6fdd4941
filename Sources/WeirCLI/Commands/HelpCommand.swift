/// `weir help [COMMAND]`.
struct HelpCommand: Command {
    private static let name = Operand(
        "COMMAND", "The command to tell of; else all are listed", arity: .optional, completion: .commands)

    static let table = CommandTable(
        "help", abstract: "tell what a command does", operands: [name],
        examples: [("help audit", "The options and exit statuses of 'weir audit'.")])

    private let command: (any Command.Type)?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard let value = arguments.value(Self.name) else {
            command = nil
            return
        }
        command = try Program.command(named: value.text, origin: value.origin)
    }

    func run(_ context: Context) async -> ExitCode {
        let help = context.help
        context.output.write(command.map { help.command($0.table) } ?? help.program(Program.tables))
        return .success
    }
}
