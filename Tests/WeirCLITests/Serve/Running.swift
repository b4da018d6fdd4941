import Foundation
import Synchronization
import WeirModel

@testable import WeirCLI

/// A command that runs until it is interrupted, and what it has written so far.
final class Running: Sendable {
    /// Text in memory that tells when there is more.
    private final class WatchedOutput: TextOutput {
        private struct State {
            var text = ""
            var waiters: [(wanted: @Sendable (String) -> Bool, continuation: CheckedContinuation<String, Never>)] = []
            var hasEnded = false
        }

        private let state = Lock(State())

        var text: String { state.withLock { $0.text } }
        var problem: String? { nil }
        var isAbandoned: Bool { false }
        func flush() {}

        func write(_ text: String) { change { $0.text += text } }

        /// Nothing more will be written.
        func end() { change { $0.hasEnded = true } }

        private func change(_ body: (inout State) -> Void) {
            let (resumed, text) = state.withLock { state in
                body(&state)
                let now = state.text
                let hasEnded = state.hasEnded
                let met = state.waiters.filter { hasEnded || $0.wanted(now) }.map(\.continuation)
                state.waiters.removeAll { hasEnded || $0.wanted(now) }
                return (met, now)
            }
            for continuation in resumed { continuation.resume(returning: text) }
        }

        func wait(_ wanted: @escaping @Sendable (String) -> Bool) async -> String {
            await withCheckedContinuation { continuation in
                let known: String? = state.withLock { state in
                    if state.hasEnded || wanted(state.text) { return state.text }
                    state.waiters.append((wanted, continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    private let output = WatchedOutput()
    private let errorOutput = WatchedOutput()
    private let task: Task<ExitCode, Never>

    init(_ arguments: [String]) {
        let context = Context(output: output, errors: errorOutput)
        let (output, errors) = (output, errorOutput)
        task = Task {
            defer {
                output.end()
                errors.end()
            }
            return await Program.run(arguments, context)
        }
    }

    /// The URL on the first line; empty if the command ended without one.
    func url() async -> String {
        let text = await output.wait { $0.contains("\n") }
        return text.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// What was written, once it has this in it, or the command has ended.
    func text(with wanted: String) async -> String { await output.wait { $0.contains(wanted) } }

    /// What was written to standard error, once it has this in it.
    func errors(with wanted: String) async -> String { await errorOutput.wait { $0.contains(wanted) } }

    /// What was written to standard error so far.
    var errors: String { errorOutput.text }

    /// Interrupts the command, as Control-C does.
    func interrupt() async -> Shell.Outcome {
        task.cancel()
        return await end()
    }

    /// Waits for its end.
    func end() async -> Shell.Outcome {
        let status = await task.value
        return .init(status: status, output: output.text, errors: errorOutput.text)
    }
}
