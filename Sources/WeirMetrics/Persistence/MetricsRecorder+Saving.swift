import Foundation
import Synchronization
import WeirModel

extension MetricsRecorder {
    /// Saves what no delta has taken yet, so that the next launch finds it; does nothing without ``Options/saving``.
    ///
    /// This happens by itself at each interval. An app may call it when it goes to the background.
    public func save() throws(MetricsFile.Problem) {
        guard let saving else { return }
        let result: Result<Void, MetricsFile.Problem> = history.withLock { history in
            let snapshot = pending(&history) { $0.copy }
            return Result { () throws(MetricsFile.Problem) in
                if !snapshot.isEmpty { try MetricsFile.write(snapshot, to: saving.options.file) }
            }
        }
        try result.get()
    }

    /// The file in which a recorder keeps what was recorded, and the task that writes it.
    final class Saving: Sendable {
        let options: SavingOptions
        private let task = Lock<Task<Void, Never>?>(nil)

        init(_ options: SavingOptions) { self.options = options }

        /// What an earlier run left; a file that cannot be read is reported and skipped.
        func takeLeft() -> MetricsSnapshot? {
            do {
                return try MetricsFile.read(options.file)
            } catch {
                if error.reason != .missing { options.onProblem?(error) }
                return nil
            }
        }

        /// Begins to save at each interval, as long as the recorder is there.
        func begin(_ recorder: MetricsRecorder) {
            let interval = max(options.interval, .milliseconds(100))
            let onProblem = options.onProblem
            let running = Task.detached(priority: .background) { [weak recorder] in
                while !Task.isCancelled {
                    do { try await Task.sleep(for: interval) } catch { return }
                    guard let recorder else { return }
                    do throws(MetricsFile.Problem) {
                        try recorder.save()
                    } catch {
                        onProblem?(error)
                    }
                }
            }
            task.withLock { $0 = running }
        }

        func end() { task.withLock { $0?.cancel() } }

        /// Removes the file: what was in it has been taken.
        func remove() { unlink(options.file.path) }
    }
}
