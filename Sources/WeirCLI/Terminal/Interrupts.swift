import Dispatch
import Foundation

/// Signals of the process: a closed pipe is an error of the write, and an interrupt cancels.
enum Interrupts {
    /// Makes writing to a closed pipe fail rather than end the process.
    static func ignoreClosedPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls `onFirst` at the first interrupt; the second one ends the process at once.
    ///
    /// - Returns: The source; interrupts are handled for as long as it is kept.
    static func handle(onFirst: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            onFirst()
            signal(SIGINT, SIG_DFL)
        }
        source.activate()
        return source
    }
}
