import Synchronization
import WeirModel

/// What other threads tell the event thread.
final class Mailbox: Sendable {
    enum Message: Sendable {
        /// The handler's answer to a request of a connection.
        case answer(connection: UInt64, request: Int, ResponsePlan)
        /// A stream of a connection's answer has brought something.
        case streamed(connection: UInt64)
        /// Another link, or none.
        case link(LinkProfile?)
        case stop
    }

    private struct State: ~Copyable {
        var messages: [Message] = []
        /// Whether the event thread has gone, or is going, to sleep without having seen the messages.
        var isAsleep = false
        /// Nil once the event thread has ended, so that a late answer cannot write to a descriptor of someone else.
        var wakeUp: WakeUp?
    }

    private let state: Lock<State>
    /// What the event thread waits for.
    let descriptor: Int32

    init() throws(LocalServer.StartError) {
        let wakeUp = try WakeUp()
        descriptor = wakeUp.descriptor
        state = Lock(State(wakeUp: wakeUp))
    }

    /// Leaves a message and wakes the event thread if it sleeps.
    func post(_ message: Message) {
        state.withLock { state in
            guard state.wakeUp != nil else { return }
            state.messages.append(message)
            guard state.isAsleep else { return }
            state.isAsleep = false
            state.wakeUp?.signal()
        }
    }

    /// Takes all messages, in exchange for an empty list; the event thread is awake.
    func take(into messages: inout [Message]) {
        state.withLock { state in
            if !state.messages.isEmpty { swap(&state.messages, &messages) }
        }
    }

    /// Whether the event thread may sleep: true when there is no message, and from then on one wakes it.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.messages.isEmpty
            return state.isAsleep
        }
    }

    /// The event thread woke.
    func awake(signalled: Bool) {
        state.withLock { state in
            state.isAsleep = false
            if signalled { state.wakeUp?.clear() }
        }
    }

    /// Ends the delivery.
    func close() {
        state.withLock { state in
            state.wakeUp = nil
            state.messages = []
        }
    }
}
