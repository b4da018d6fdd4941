#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import WeirModel

/// A connection's wire around its ``ConnectionState`` or ``HTTP2Connection``, and around its ``SecureChannel`` over TLS; it
/// lives on the event thread.
final class Connection {
    let wire: Wire
    let core: ServerCore
    /// HTTP/1.1, which every connection begins with.
    var state: ConnectionState
    /// HTTP/2, once it is known to be spoken; then the state above is left alone.
    var http2: HTTP2Connection?
    /// What arrived of what may be HTTP/2's preface; nil once that is decided.
    var preface: [UInt8]?
    /// TLS between the wire and the state, nil in clear.
    var secure: SecureChannel?
    /// Whether the end of the stream is to be sent once TLS has nothing more to send.
    var owesEnd = false
    /// Whether the time for the handshake is over.
    private var hasExpired = false
    /// Handlers that run, few at a time.
    private var handlers: [(request: Int, task: Task<Void, Never>)] = []

    init(_ wire: Wire, core: ServerCore, now: Moment) {
        state = ConnectionState(
            connection: Int(wire.id), remotePort: Int(wire.remotePort), options: core.options, now: now)
        self.wire = wire
        self.core = core
        guard let material = core.tls else {
            if core.options.http2.isEnabled, HTTP2Session.isAvailable { preface = [] }
            return
        }
        secure = SecureChannel(
            material, connection: Int(wire.id), timeout: core.options.timeouts.handshake?.wholeNanoseconds, now: now)
        // Without memory for TLS there is nothing that could be said to the peer.
        if secure == nil { hasExpired = true }
    }

    var id: UInt64 { wire.id }

    /// The connection's number in the server.
    var number: Int { state.connection }

    func started(_ request: Int, _ task: Task<Void, Never>) { handlers.append((request, task)) }

    /// Takes out the handler of a request that is answered or given up.
    func endHandler(of request: Int) -> Task<Void, Never>? {
        handlers.firstIndex { $0.request == request }.map { handlers.remove(at: $0).task }
    }

    /// Ends everything: the peer is gone, or the server stops.
    func vanish(_ actions: inout [ConnectionState.Action]) {
        if isHandshaking { actions.append(.insecure(.closed)) }
        secure = nil
        giveUp(&actions)
    }

    /// When ``wake(actions:)`` and ``run(_:numbering:actions:)`` have to be called though nothing happened.
    var deadline: Moment? { isHandshaking ? secure?.deadline : protocolDeadline }

    var isHandshaking: Bool { secure?.isHandshaking ?? false }

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
        timeOut(now: now, actions: &actions)
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
        wire.pump(buffer, now: now)
        if wire.hasArrivedReset {
            vanish(&actions)
            return .closed
        }
        guard read(buffer, now: now, numbering: &numbering, actions: &actions) else { return .closed }
        var written = 0
        while true {
            if secure != nil {
                if let progress = flush(&written, now: &now, actions: &actions) { return progress }
            }
            switch nextStep(now: now, numbering: &numbering, actions: &actions) {
            case .write:
                if written >= Self.turnSize { return .yields }
                if secure != nil {
                    encrypt(now: now, actions: &actions)
                    continue
                }
                switch sendOutput(now: now) {
                case .bytes(let count):
                    written += count
                    now = Moment.now
                    wrote(count, now: now, actions: &actions)
                case .wouldBlock:
                    writeBlocked()
                    return afterWriting
                case .failed:
                    vanish(&actions)
                    return .closed
                }
            case .wait: return afterWriting
            case .finishSending: finishSending(now: now)
            case .reset:
                wire.resetOnClose(now: now)
                vanish(&actions)
                return .closed
            case .close:
                wire.endBeforeClose(now: now)
                vanish(&actions)
                return .closed
            }
        }
    }

    private func sendOutput(now: Moment) -> Socket.Outcome {
        if let http2 { return http2.output.withVectors { wire.send($0, now: now) } }
        return state.output.withVectors { wire.send($0, now: now) }
    }

    /// Reads once; false when the connection is gone.
    private func read(
        _ buffer: UnsafeMutableRawBufferPointer, now: Moment, numbering: inout Int,
        actions: inout [ConnectionState.Action]
    ) -> Bool {
        if secure != nil { return readSecurely(buffer, now: now, numbering: &numbering, actions: &actions) }
        guard wire.isReadable, wantsInput else { return true }
        switch wire.receive(into: buffer, now: now) {
        case .bytes(0): receiveEnd(now: now, numbering: &numbering, actions: &actions)
        case .bytes(let count):
            let input = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            receive(input, now: now, numbering: &numbering, actions: &actions)
        case .wouldBlock: break
        case .failed:
            vanish(&actions)
            return false
        }
        return true
    }

    private func finishSending(now: Moment) {
        guard secure != nil else { return wire.finishSending(now: now) }
        secure?.finish()
        owesEnd = true
    }

    var afterWriting: Progress {
        if secure == nil { return wire.isReadable && wantsInput ? .yields : .blocked }
        return hasSecureInput ? .yields : .blocked
    }
}
