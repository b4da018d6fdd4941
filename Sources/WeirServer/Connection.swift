#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import WeirModel

/// A connection's socket around its ``ConnectionState``, and around its ``SecureChannel`` over TLS; it lives on the event thread.
final class Connection {
    let id: UInt64
    let socket: Socket
    var state: ConnectionState
    /// TLS between the socket and the state, nil in clear.
    var secure: SecureChannel?
    /// Whether the kernel may have input, by the last event or read.
    var isReadable = false
    var isWritable = true
    /// Whether the end of the stream is known to follow what can be read.
    var endsAfterInput = false
    /// Whether the end of the stream is to be sent once TLS has nothing more to send.
    var owesEnd = false
    /// Whether the time for the handshake is over.
    private var hasExpired = false
    /// Handlers that run, few at a time.
    private var handlers: [(request: Int, task: Task<Void, Never>)] = []

    init(id: UInt64, socket: consuming Socket, core: ServerCore, now: Moment) {
        self.id = id
        state = ConnectionState(
            connection: Int(id), remotePort: Int(socket.remotePort()), options: core.options, now: now)
        self.socket = socket
        guard let material = core.tls else { return }
        secure = SecureChannel(
            material, connection: Int(id), timeout: core.options.timeouts.handshake?.wholeNanoseconds, now: now)
        // Without memory for TLS there is nothing that could be said to the peer.
        if secure == nil { hasExpired = true }
    }

    /// The connection's number in the server.
    var number: Int { state.connection }

    func started(_ request: Int, _ task: Task<Void, Never>) { handlers.append((request, task)) }

    /// Takes out the handler of a request that is answered or given up.
    func endHandler(of request: Int) -> Task<Void, Never>? {
        handlers.firstIndex { $0.request == request }.map { handlers.remove(at: $0).task }
    }

    func answer(_ request: Int, with plan: ResponsePlan, actions: inout [ConnectionState.Action]) {
        state.answer(request, with: plan, actions: &actions)
    }

    /// Ends everything: the peer is gone, or the server stops.
    func vanish(_ actions: inout [ConnectionState.Action]) {
        if isHandshaking { actions.append(.insecure(.closed)) }
        secure = nil
        state.vanish(&actions)
    }

    /// When ``wake(actions:)`` and ``run(_:numbering:actions:)`` have to be called though nothing happened.
    var deadline: Moment? { isHandshaking ? secure?.deadline : state.deadline }

    var isHandshaking: Bool { secure?.isHandshaking ?? false }

    func take(_ event: ReadinessEvent) {
        if event.isReadable || event.peerClosed { isReadable = true }
        if event.peerClosed { endsAfterInput = true }
        if event.isWritable { isWritable = true }
    }

    /// Takes note that a deadline has come.
    func wake(actions: inout [ConnectionState.Action]) {
        let now = Moment.now
        guard !isHandshaking else {
            if secure?.timeOut(now: now) == true {
                actions.append(.insecure(.timeout))
                hasExpired = true
            }
            return
        }
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
    static var turnSize: Int { 262_144 }

    /// Reads and writes what can be, without waiting.
    func run(
        _ buffer: UnsafeMutableRawBufferPointer, numbering: inout Int, actions: inout [ConnectionState.Action]
    ) -> Progress {
        guard !hasExpired else { return .closed }
        var now = Moment.now
        guard read(buffer, now: now, numbering: &numbering, actions: &actions) else { return .closed }
        var written = 0
        while true {
            if secure != nil {
                if let progress = flush(&written, now: &now, actions: &actions) { return progress }
            }
            switch state.nextStep(now: now, numbering: &numbering, actions: &actions) {
            case .write:
                guard isWritable else { return afterWriting }
                if written >= Self.turnSize { return .yields }
                if secure != nil {
                    encrypt(now: now, actions: &actions)
                    continue
                }
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
            case .finishSending: finishSending()
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

    /// Reads once; false when the connection is gone.
    private func read(
        _ buffer: UnsafeMutableRawBufferPointer, now: Moment, numbering: inout Int,
        actions: inout [ConnectionState.Action]
    ) -> Bool {
        if secure != nil { return readSecurely(buffer, now: now, numbering: &numbering, actions: &actions) }
        guard isReadable, state.wantsInput else { return true }
        switch socket.receive(into: buffer) {
        case .bytes(0):
            isReadable = false
            state.receiveEnd(now: now, actions: &actions)
        case .bytes(let count):
            tookInput(count, of: buffer.count)
            let input = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            state.receive(input, now: now, numbering: &numbering, actions: &actions)
        case .wouldBlock: isReadable = false
        case .failed:
            state.vanish(&actions)
            return false
        }
        return true
    }

    /// A short read has taken everything; what comes later makes an event, which the end of the stream has made already if
    /// it is known.
    func tookInput(_ count: Int, of size: Int) {
        if count < size, !endsAfterInput { isReadable = false }
    }

    private func finishSending() {
        guard secure != nil else { return socket.finishSending() }
        secure?.finish()
        owesEnd = true
    }

    var afterWriting: Progress {
        if secure == nil { return isReadable && state.wantsInput ? .yields : .blocked }
        return hasSecureInput ? .yields : .blocked
    }
}
