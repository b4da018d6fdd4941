/// One of the program's commands.
protocol Command: Sendable {
    /// What it takes.
    static var table: CommandTable { get }

    /// Reads its arguments.
    init(_ arguments: ParsedArguments) throws(UsageError)

    /// Does its work.
    ///
    /// - Throws: ``CommandFailure`` for what a person can act on; other errors are shown as they are.
    func run(_ context: Context) async throws -> ExitCode
}

/// Why a command could not do its work: a sentence for a person, and the exit status.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String
    var status: ExitCode

    init(_ description: String, status: ExitCode) {
        self.description = description
        self.status = status
    }
}
