#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import CWeirPosix
import WeirModel

/// A connection's TLS, apart from its socket: the handshake with its faults and its time, then bytes both ways.
///
/// The owner feeds it what it read, sends what ``next(now:)`` says, and reads and writes plain bytes once it is open. Plain bytes
/// are encrypted one flight at a time: the next is made when the last one is with the network, so that what is kept twice is
/// bounded, and so that the times at which bytes are noted as written are true.
struct SecureChannel: ~Copyable {
    enum Phase: Equatable {
        /// Nothing has arrived yet.
        case greeting
        case handshaking
        case open
        /// It broke; what is left to send says why, and what arrives is thrown away.
        case failed(LocalServer.HandshakeFailure.Reason)
    }

    /// What the owner has to do.
    enum Next: Equatable {
        /// Send from the output, at most so many bytes.
        case send(atMost: Int)
        /// The last of a flight of so many plain bytes is with the network.
        case delivered(plain: Int)
        case nothing
        case reset
        case close
    }

    /// How many plain bytes are encrypted at a time.
    static var flightSize: Int { 65_536 }

    private let engine: TLSEngine
    private let plan: LocalServer.TLS.Handshake
    private let sendsCloseNotify: Bool
    private(set) var phase = Phase.greeting
    /// Bytes of the handshake's answer that were sent.
    private var sentCount = 0
    /// When the answer to the ClientHello may be sent, and whether that has come up.
    private var releaseAt: Moment?
    private var hasWaited = false
    private let handshakeEnd: Moment?
    /// Plain bytes of the flight that is being sent.
    private var flight = 0
    /// Whether there may be something to read without more from the network.
    private var mayHaveInput = false

    init?(_ material: TLSMaterial, connection: Int, timeout: Int64?, now: Moment) {
        guard let engine = TLSEngine(accepting: material.context) else { return nil }
        self.engine = engine
        plan = material.options.handshake(connection)
        sendsCloseNotify = material.options.sendsCloseNotify
        handshakeEnd = timeout.map { now + $0 }
    }

    var isOpen: Bool { phase == .open }

    var isHandshaking: Bool { phase == .greeting || phase == .handshaking }

    /// What was agreed on.
    var facts: LocalServer.Request.TLS { engine.facts }

    /// When ``timeOut(now:)`` and ``next(now:)`` have to be called though nothing happened.
    var deadline: Moment? {
        guard isHandshaking else { return nil }
        guard let releaseAt else { return handshakeEnd }
        return handshakeEnd.map { min($0, releaseAt) } ?? releaseAt
    }

    /// Whether bytes from the network are of use now: not while there are some that nobody read.
    var wantsInput: Bool { !mayHaveInput }

    /// Whether there may be plain bytes to read without more from the network.
    var hasInput: Bool { mayHaveInput && isOpen }

}

// MARK: - From the network

extension SecureChannel {
    /// What became of bytes from the network.
    enum Received: Equatable {
        /// Nothing more to do now.
        case taken
        /// The handshake is complete: plain bytes can be read and written.
        case opened
        /// The client speaks no TLS but HTTP in clear.
        case clearText
        /// It broke just now.
        case failed(LocalServer.HandshakeFailure.Reason)
    }

    /// Takes bytes from the network.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Moment) -> Received {
        switch phase {
        case .failed: return .taken
        case .greeting:
            guard let first = bytes.first else { return .taken }
            // A record of TLS begins with its type, 22 for a handshake (RFC 8446, section 5.1); a request with a letter.
            if ASCII.lowercase(first) &- 0x61 < 26 {
                phase = .failed(.clearText)
                return .clearText
            }
            phase = .handshaking
        case .handshaking, .open: break
        }
        guard engine.feed(bytes) else { return fail(.refused("memory ran out")) }
        mayHaveInput = true
        return phase == .handshaking ? handshake(now: now) : .taken
    }

    private mutating func handshake(now: Moment) -> Received {
        switch engine.handshake() {
        case .bytes, .ended:
            phase = .open
            // What followed the last of the handshake is there to be read.
            mayHaveInput = true
            return .opened
        case .wantsInput:
            mayHaveInput = false
            if case .delayed(let delay) = plan, !hasWaited, engine.outputCount > 0 {
                hasWaited = true
                releaseAt = now + delay.wholeNanoseconds
            }
            return .taken
        case .failed: return fail(engine.failure)
        }
    }

    private mutating func fail(_ reason: LocalServer.HandshakeFailure.Reason) -> Received {
        phase = .failed(reason)
        mayHaveInput = false
        flight = 0
        return .failed(reason)
    }

    /// Reads plain bytes; what is not bytes ends what can be read for now.
    mutating func read(into room: UnsafeMutableRawBufferPointer) -> TLSEngine.Outcome {
        guard phase == .open else { return .wantsInput }
        let outcome = engine.read(into: room)
        switch outcome {
        case .bytes: break
        case .wantsInput, .ended: mayHaveInput = false
        case .failed: _ = fail(engine.failure)
        }
        return outcome
    }

    /// Ends a handshake whose time is over.
    mutating func timeOut(now: Moment) -> Bool {
        guard isHandshaking, let handshakeEnd, handshakeEnd <= now else { return false }
        phase = .failed(.timeout)
        return true
    }
}

// MARK: - To the network

extension SecureChannel {
    /// What is to be done about the output, after any change.
    mutating func next(now: Moment) -> Next {
        let count = engine.outputCount
        if count == 0 {
            defer { flight = 0 }
            return flight > 0 ? .delivered(plain: flight) : .nothing
        }
        guard phase == .handshaking else { return .send(atMost: count) }
        switch plan {
        case .completes: return .send(atMost: count)
        case .delayed:
            guard let releaseAt, releaseAt > now else {
                releaseAt = nil
                return .send(atMost: count)
            }
            return .nothing
        case .stalls(let limit): return sentCount < limit ? .send(atMost: min(count, limit - sentCount)) : .nothing
        case .resets(let limit): return sentCount < limit ? .send(atMost: min(count, limit - sentCount)) : .reset
        case .closes(let limit): return sentCount < limit ? .send(atMost: min(count, limit - sentCount)) : .close
        }
    }

    /// Calls `body` with the bytes to send, which it may not keep.
    borrowing func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { engine.withOutput(body) }

    /// Takes note of what the network took.
    mutating func sent(_ count: Int) {
        engine.sent(count)
        if isHandshaking { sentCount += count }
    }

    /// Encrypts a flight from the front of what waits, unless one is under way.
    mutating func encrypt(_ output: OutputBuffer) -> Bool {
        guard phase == .open, flight == 0 else { return true }
        let engine = engine
        var taken = 0
        let isWhole = output.withVectors { vectors in
            for vector in vectors where taken < Self.flightSize {
                let bytes = UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len)
                    .prefix(Self.flightSize - taken)
                guard engine.write(UnsafeRawBufferPointer(rebasing: bytes)) else { return false }
                taken += bytes.count
            }
            return true
        }
        guard isWhole else {
            _ = fail(engine.failure)
            return false
        }
        flight = taken
        return true
    }

    /// Says that nothing more comes.
    mutating func finish() {
        if sendsCloseNotify, phase == .open { engine.finish() }
    }
}
