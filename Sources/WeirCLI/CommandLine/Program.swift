import WeirReports

/// The program: finds the command, runs it, and turns what goes wrong into text and an exit status.
enum Program {
    static let version = "0.1.0"
    static let abstract = "measure the network behaviour of a screen, and hold it to a budget"

    /// The commands, in the order of the help.
    static let commands: [any Command.Type] = [
        AuditCommand.self, DiffCommand.self, BudgetCommand.self, ConvertCommand.self, RedactCommand.self,
        MetricsCommand.self, StreamCommand.self, GetCommand.self, QualityCommand.self, ServeCommand.self,
        RecordCommand.self,
        DemoCommand.self,
        CompletionCommand.self, HelpCommand.self,
    ]

    static var tables: [CommandTable] { commands.map { $0.table } }

    /// Runs a command line.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the program's name.
    ///   - context: What the command reads and writes.
    /// - Returns: The exit status; everything was written by then.
    static func run(_ arguments: [String], _ context: Context) async -> ExitCode {
        var status: ExitCode
        do {
            status = try await dispatch(arguments, context)
        } catch let error as UsageError {
            context.errors.write(message(error))
            status = .usage
        } catch let failure as CommandFailure {
            context.errors.write("weir: \(failure)\n")
            status = failure.status
        } catch {
            // What was cancelled fails in many ways, none of which says more.
            let isInterrupted = Task.isCancelled || error is CancellationError
            if !isInterrupted { context.errors.write("weir: \(PrintableText("\(error)"))\n") }
            // A command that stops because nobody reads on was not interrupted.
            let isAbandoned = isInterrupted && !Task.isCancelled && context.output.isAbandoned
            status = isAbandoned ? .success : isInterrupted ? .interrupted : .system
        }
        context.output.flush()
        // A reader that went away (`| head`) is no failure; a full disk is.
        if let problem = context.output.problem {
            context.errors.write("weir: cannot write the output: \(problem)\n")
            if status == .success { status = .outputFailed }
        }
        context.errors.flush()
        return status
    }

    private static func dispatch(_ arguments: [String], _ context: Context) async throws -> ExitCode {
        guard let name = arguments.first else { throw UsageError(.missingCommand, nil, command: nil) }
        if name == "--help" || name == "-h" {
            context.output.write(context.help.program(tables))
            return .success
        }
        if name == "--version" {
            context.output.write("weir \(version)\n")
            return .success
        }
        let command = try command(named: name, origin: .init(index: 1, text: name))
        let table = command.table
        let split = SplitArguments(Array(arguments.dropFirst()), first: 2)
        // Help is given also for a command line that is wrong otherwise.
        if split.elements.contains(where: Self.asksForHelp) {
            context.output.write(context.help.command(table))
            return .success
        }
        let parsed = try ParsedArguments(split, table: table)
        var context = context
        try context.apply(parsed)
        return try await command.init(parsed).run(context)
    }

    /// The command of a name, or an error that names a similar one.
    static func command(named name: String, origin: SplitArguments.Origin) throws(UsageError) -> any Command.Type {
        if let command = commands.first(where: { $0.table.name == name }) { return command }
        if name.utf8.first == UInt8(ascii: "-") {
            let near = EditDistance.nearest(to: String(name.drop { $0 == "-" }), in: ["help", "version"])
            throw UsageError(.unknownOption(name, suggestion: near.map { "--\($0)" }), origin, command: nil)
        }
        let near = EditDistance.nearest(to: name, in: tables.filter { !$0.isHidden }.map(\.name))
        throw UsageError(.unknownCommand(name, suggestion: near), origin, command: nil)
    }

    private static func asksForHelp(_ element: SplitArguments.Element) -> Bool {
        switch element {
        case .long("help", nil, _), .short("h", _): true
        default: false
        }
    }

    private static func message(_ error: UsageError) -> String {
        let table = error.command.flatMap { name in tables.first { $0.name == name } }
        let program = table.map { "weir \($0.name)" } ?? "weir"
        return """
            \(program): \(error)
            Usage: \(table?.usage ?? "weir COMMAND [OPTIONS]")
            '\(program) --help' tells more.

            """
    }
}
