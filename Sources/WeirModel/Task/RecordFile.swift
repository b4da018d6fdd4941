import Foundation
import Synchronization

/// Writes each record as a line of JSON to a file, for `weir audit` to read: an observer.
///
/// Records are redacted (see ``Redactor``). The file is made for its owner alone and appended to, one `write` a line,
/// so that several sessions and processes can share it. A failure to write is reported once, on standard error.
package final class RecordFile: TaskObserver {
    /// The file that the environment variable `WEIR_RECORD_FILE` names, or nil when it is not set.
    package static let fromEnvironment: RecordFile? = ProcessInfo.processInfo.environment["WEIR_RECORD_FILE"]
        .flatMap { $0.isEmpty ? nil : RecordFile(path: $0) }

    private struct State: ~Copyable {
        var handle: FileHandle?
        var encoder: JSONEncoder
        var hasReported = false
    }

    private let path: String
    private let redactor = Redactor()
    private let state: Lock<State>

    /// Opens a file for appending, and makes it if it is not there.
    package init(path: String) {
        self.path = path
        // Not blocking: a pipe that nobody reads is an error, and not a wait without end.
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        let code = errno
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        if let key = BodyOrdinals.key { encoder.userInfo[key] = BodyOrdinals() }
        state = Lock(
            State(
                handle: descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true),
                encoder: encoder))
        if descriptor < 0 {
            report(String(cString: strerror(code)))
        } else if Self.endsInsideALine(path) {
            // What was cut off is lost already; the first record of this process shall not be.
            state.withLock { try? $0.handle?.write(contentsOf: Data([0x0A])) }
        }
    }

    /// Whether the last byte of a file is no end of a line: a process ended while it wrote.
    private static func endsInsideALine(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            let handle = FileHandle(forReadingAtPath: path),
            (try? handle.seek(toOffset: UInt64(status.st_size - 1))) != nil,
            let last = try? handle.read(upToCount: 1)
        else { return false }
        return last.first != 0x0A
    }

    package func taskDidFinish(_ record: TaskRecord) {
        var record = redactor.redact(record)
        if record.unit == nil { record.unit = UnitOfWork.Registry.run }
        let line = record
        let problem: String? = state.withLock { state in
            guard let handle = state.handle else { return nil }
            do {
                var text = try state.encoder.encode(line)
                text.append(0x0A)
                try handle.write(contentsOf: text)
                return nil
            } catch {
                return Self.sentence(error)
            }
        }
        if let problem { report(problem) }
    }

    /// What the system says of a failure to write, without the wrapping of Foundation.
    private static func sentence(_ error: any Error) -> String {
        let whole = error as NSError
        let inner = whole.userInfo[NSUnderlyingErrorKey] as? NSError ?? whole
        guard inner.domain == NSPOSIXErrorDomain else { return "\(error)" }
        return String(cString: strerror(Int32(truncatingIfNeeded: inner.code)))
    }

    private func report(_ problem: String) {
        let isFirst = state.withLock { state in
            defer { state.hasReported = true }
            return !state.hasReported
        }
        guard isFirst else { return }
        let text = "weir: WEIR_RECORD_FILE: cannot write to \(path): \(problem)\n"
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
