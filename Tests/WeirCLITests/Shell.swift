import Foundation
import Synchronization
import WeirModel

@testable import WeirCLI

/// Runs command lines in this process.
struct Shell {
    var environment: [String: String] = [:]
    var isTerminal = false
    var showsProgress = false
    var width = 80
    var input = Data()
    /// What the clock says each time it is read, in seconds; the last value stays.
    var clock: [TimeInterval] = [0]

    /// What a command line did.
    struct Outcome {
        var status: ExitCode
        var output: String
        var errors: String
    }

    /// Runs a command line whose words hold no spaces.
    func run(_ line: String) async -> Outcome {
        await run(arguments: line.split(separator: " ").map(String.init))
    }

    func run(arguments: [String]) async -> Outcome {
        let output = StringOutput()
        let errors = StringOutput()
        let input = input
        let clock = clock
        let readings = Lock(0)
        let context = Context(
            output: output, errors: errors,
            input: { limit in
                guard input.count <= limit else { throw FileInput.Failure.tooLarge(limit: limit) }
                return input
            },
            environment: environment, isTerminal: isTerminal, showsProgress: showsProgress,
            width: width,
            now: {
                let reading = readings.withLock { count in
                    defer { count += 1 }
                    return min(count, clock.count - 1)
                }
                return Date(timeIntervalSinceReferenceDate: clock[reading])
            })
        let status = await Program.run(arguments, context)
        return Outcome(status: status, output: output.text, errors: errors.text)
    }
}
