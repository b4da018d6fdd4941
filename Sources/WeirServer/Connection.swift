/// A connection's socket around its ``ConnectionState``; it lives on the event thread.
final class Connection {
    let id: UInt64
    let socket: Socket
    var state: ConnectionState
    /// Whether the kernel may have input, by the last event or read.
    private var isReadable = false
    private var isWritable = true
    /// Handlers that run.
    var handlers: [Int: Task<Void, Never>] = [:]

    init(id: UInt64, socket: consuming Socket, options: LocalServer.Options, now: ContinuousClock.Instant) {
        self.id = id
        state = ConnectionState(
            connection: Int(id), remotePort: Int(socket.remotePort()), options: options, now: now)
        self.socket = socket
    }

    func take(_ event: ReadinessEvent) {
        if event.isReadable || event.peerClosed { isReadable = true }
        if event.isWritable { isWritable = true }
    }

    enum Progress {
        /// Nothing can be done before the next event.
        case blocked
        /// More can be done; others should have their turn first.
        case yields
        case closed
    }

    /// Reads and writes what can be, without waiting.
    func run(
        _ buffer: UnsafeMutableRawBufferPointer, numbering: inout Int, actions: inout [ConnectionState.Action]
    ) -> Progress {
        let now = ContinuousClock.now
        if isReadable, state.wantsInput {
            switch socket.receive(into: buffer) {
            case .bytes(0):
                isReadable = false
                state.receiveEnd(now: now, actions: &actions)
            case .bytes(let count):
                // A short read leaves nothing behind, unless the end of the stream follows; that comes as an event.
                let input = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                state.receive(input, now: now, numbering: &numbering, actions: &actions)
            case .wouldBlock: isReadable = false
            case .failed:
                state.vanish(&actions)
                return .closed
            }
        }
        while true {
            let now = ContinuousClock.now
            switch state.nextStep(now: now, numbering: &numbering, actions: &actions) {
            case .write:
                guard isWritable else { return afterWriting }
                switch state.output.withVectors({ socket.send($0) }) {
                case .bytes(let count): state.wrote(count, now: ContinuousClock.now, actions: &actions)
                case .wouldBlock:
                    isWritable = false
                    state.writeBlocked()
                    return afterWriting
                case .failed:
                    state.vanish(&actions)
                    return .closed
                }
            case .wait: return afterWriting
            case .finishSending: socket.finishSending()
            case .reset:
                socket.resetOnClose()
                state.vanish(&actions)
                return .closed
            case .close:
                state.vanish(&actions)
                return .closed
            }
        }
    }

    private var afterWriting: Progress { isReadable && state.wantsInput ? .yields : .blocked }
}
