import Foundation
import Synchronization
import WeirModel

/// Where a command writes text.
protocol TextOutput: AnyObject, Sendable {
    /// Adds text.
    func write(_ text: String)
    /// Hands on what was held back.
    func flush()
    /// Why text could not be written, or nil.
    var problem: String? { get }
    /// Whether nobody will read what is written from now on.
    var isAbandoned: Bool { get }
}

/// A file descriptor, buffered; one that its reader closed takes everything and does nothing.
final class DescriptorOutput: TextOutput {
    private struct State {
        var buffer: [UInt8] = []
        var code: Int32 = 0
    }

    private let descriptor: Int32
    private let capacity: Int
    private let state = Lock(State())

    /// - Parameter capacity: How many bytes to hold back; 0 for standard error.
    init(_ descriptor: Int32, capacity: Int) {
        self.descriptor = descriptor
        self.capacity = capacity
    }

    func write(_ text: String) {
        state.withLock { state in
            state.buffer += text.utf8
            if state.buffer.count > capacity { drain(&state) }
        }
    }

    func flush() { state.withLock { drain(&$0) } }

    var problem: String? {
        let code = state.withLock { $0.code }
        return code == 0 || code == EPIPE ? nil : String(cString: strerror(code))
    }

    var isAbandoned: Bool { state.withLock { $0.code == EPIPE } }

    private func drain(_ state: inout State) {
        var rest = state.buffer[...]
        while state.code == 0, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                state.code = errno
            }
        }
        state.buffer.removeAll(keepingCapacity: true)
    }
}

/// Text kept in memory.
final class StringOutput: TextOutput {
    private let state = Lock("")

    /// What was written.
    var text: String { state.withLock { $0 } }

    func write(_ text: String) { state.withLock { $0 += text } }
    func flush() {}
    var problem: String? { nil }
    var isAbandoned: Bool { false }
}
