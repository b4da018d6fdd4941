import WeirModel

/// A connection's socket around its ``ConnectionState``; it lives on the event thread.
final class Connection {
    let id: UInt64
    let socket: Socket
    var state: ConnectionState
    /// Whether the kernel may have input, by the last event or read.
    private var isReadable = false
    private var isWritable = true
    /// Whether the end of the stream is known to follow what can be read.
    private var endsAfterInput = false
    /// Handlers that run, few at a time.
    private var handlers: [(request: Int, task: Task<Void, Never>)] = []

    init(id: UInt64, socket: consuming Socket, options: LocalServer.Options, now: Moment) {
        self.id = id
        state = ConnectionState(
            connection: Int(id), remotePort: Int(socket.remotePort()), options: options, now: now)
        self.socket = socket
    }

    func started(_ request: Int, _ task: Task<Void, Never>) { handlers.append((request, task)) }

    /// Takes out the handler of a request that is answered or given up.
    func endHandler(of request: Int) -> Task<Void, Never>? {
        handlers.firstIndex { $0.request == request }.map { handlers.remove(at: $0).task }
    }

    func take(_ event: ReadinessEvent) {
        if event.isReadable || event.peerClosed { isReadable = true }
        if event.peerClosed { endsAfterInput = true }
        if event.isWritable { isWritable = true }
    }

    /// Takes note that a deadline has come.
    func wake(actions: inout [ConnectionState.Action]) {
        let now = Moment.now
        state.timeOut(now: now, actions: &actions)
        if state.isProbeDue(now: now), socket.isPeerGone() { state.vanish(&actions) }
    }

    enum Progress {
        /// Nothing can be done before the next event.
        case blocked
        /// More can be done; others should have their turn first.
        case yields
        case closed
    }

    /// How many bytes are written before others have their turn.
    private static var turnSize: Int { 262_144 }

    /// Reads and writes what can be, without waiting.
    func run(
        _ buffer: UnsafeMutableRawBufferPointer, numbering: inout Int, actions: inout [ConnectionState.Action]
    ) -> Progress {
        var now = Moment.now
        if isReadable, state.wantsInput {
            switch socket.receive(into: buffer) {
            case .bytes(0):
                isReadable = false
                state.receiveEnd(now: now, actions: &actions)
            case .bytes(let count):
                // A short read has taken everything; what comes later makes an event, which the end of the stream has
                // made already if it is known.
                if count < buffer.count, !endsAfterInput { isReadable = false }
                let input = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                state.receive(input, now: now, numbering: &numbering, actions: &actions)
            case .wouldBlock: isReadable = false
            case .failed:
                state.vanish(&actions)
                return .closed
            }
        }
        var written = 0
        while true {
            switch state.nextStep(now: now, numbering: &numbering, actions: &actions) {
            case .write:
                guard isWritable else { return afterWriting }
                if written >= Self.turnSize { return .yields }
                switch state.output.withVectors({ socket.send($0) }) {
                case .bytes(let count):
                    written += count
                    now = Moment.now
                    state.wrote(count, now: now, actions: &actions)
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
