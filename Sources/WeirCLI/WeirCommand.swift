import Foundation

@main
struct WeirCommand {
    static func main() async {
        Interrupts.ignoreClosedPipes()
        let environment = ProcessInfo.processInfo.environment
        let context = Context(
            output: DescriptorOutput(STDOUT_FILENO, capacity: 1 << 15),
            errors: DescriptorOutput(STDERR_FILENO, capacity: 0),
            input: { try FileInput.read(descriptor: STDIN_FILENO, limit: $0) },
            pieces: { try FileInput.forEachPiece(descriptor: STDIN_FILENO, limit: $0, $1) },
            environment: environment,
            isTerminal: Terminal.isTerminal(STDOUT_FILENO),
            showsProgress: Terminal.isTerminal(STDERR_FILENO) && environment["TERM"] != "dumb",
            width: Terminal.width(of: STDOUT_FILENO, environment: environment))
        let run = Task.detached { await Program.run(Array(CommandLine.arguments.dropFirst()), context) }
        let interrupts = Interrupts.handle { run.cancel() }
        let status = await run.value
        withExtendedLifetime(interrupts) {}
        exit(status.rawValue)
    }
}
