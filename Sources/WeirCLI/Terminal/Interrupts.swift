import Dispatch
import Foundation

/// Signals of the process: a closed pipe is an error of the write, and an interrupt cancels.
enum Interrupts {
    /// Makes writing to a closed pipe fail rather than end the process.
    static func ignoreClosedPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls `onFirst` at the first interrupt or request to end; the second one ends the process at once.
    ///
    /// Requests are SIGTERM, as containers and `timeout` send it, and SIGHUP, when the terminal is closed. SIGHUP stays ignored where
    /// it was from the start, as under `nohup`.
    ///
    /// - Returns: The sources; interrupts are handled for as long as they are kept.
    static func handle(onFirst: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let previous = signal(number, SIG_IGN)
            // Functions of C cannot be compared but by their addresses.
            if number == SIGHUP, unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                return nil
            }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                onFirst()
                signal(number, SIG_DFL)
            }
            source.activate()
            return source
        }
    }
}
