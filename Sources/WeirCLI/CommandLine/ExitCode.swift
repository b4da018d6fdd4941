/// What a command tells the shell.
struct ExitCode: RawRepresentable, Sendable, Hashable {
    var rawValue: Int32

    /// All is well.
    static let success = ExitCode(rawValue: 0)
    /// What was to hold does not: a budget is violated, an expectation failed.
    static let failure = ExitCode(rawValue: 1)
    /// The input cannot be read or is not what it should be.
    static let badInput = ExitCode(rawValue: 2)
    /// The command line does not fit (EX_USAGE).
    static let usage = ExitCode(rawValue: 64)
    /// The system did not give what is needed, such as a socket (EX_OSERR).
    static let system = ExitCode(rawValue: 71)
    /// The output could not be written (EX_IOERR).
    static let outputFailed = ExitCode(rawValue: 74)
    /// Interrupted (128 + SIGINT).
    static let interrupted = ExitCode(rawValue: 130)

    /// What every command may exit with, besides what its own table says.
    static let common: [(status: ExitCode, meaning: String)] = [
        (.success, "The command did its work"),
        (.usage, "The command line is wrong"),
        (.system, "The system did not give what was needed, such as memory or a socket"),
        (.outputFailed, "Standard output cannot be written, for example because the disk is full"),
        (.interrupted, "Interrupted by Control-C"),
    ]
}
