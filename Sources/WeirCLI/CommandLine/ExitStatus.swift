/// What a command tells the shell.
struct ExitStatus: RawRepresentable, Sendable, Hashable {
    var rawValue: Int32

    /// All is well.
    static let success = ExitStatus(rawValue: 0)
    /// What was to hold does not: a budget is violated, an expectation failed.
    static let failure = ExitStatus(rawValue: 1)
    /// The input cannot be read or is not what it should be.
    static let badInput = ExitStatus(rawValue: 2)
    /// The command line does not fit (EX_USAGE).
    static let usage = ExitStatus(rawValue: 64)
    /// The system did not give what is needed, such as a socket (EX_OSERR).
    static let system = ExitStatus(rawValue: 71)
    /// The output could not be written (EX_IOERR).
    static let outputFailed = ExitStatus(rawValue: 74)
    /// Interrupted (128 + SIGINT).
    static let interrupted = ExitStatus(rawValue: 130)
}
