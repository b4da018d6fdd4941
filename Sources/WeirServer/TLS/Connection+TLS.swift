#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import CWeirPosix
import WeirModel

/// The bytes between a wire and a ``SecureChannel``.
extension Connection {
    /// Whether a read would find something that is wanted.
    var hasSecureInput: Bool {
        guard isHandshaking || wantsInput else { return false }
        return secure?.hasInput == true || (wire.isReadable && secure?.wantsInput == true)
    }

    /// Reads once from the wire, and what can be decrypted then; false when the connection is gone.
    func readSecurely(
        _ buffer: UnsafeMutableRawBufferPointer, now: Moment, numbering: inout Int,
        actions: inout [ConnectionState.Action]
    ) -> Bool {
        if wire.isReadable, secure?.wantsInput == true, isHandshaking || wantsInput {
            switch wire.receive(into: buffer, now: now) {
            case .bytes(0):
                guard !isHandshaking else {
                    vanish(&actions)
                    return false
                }
                receiveEnd(now: now, numbering: &numbering, actions: &actions)
            case .bytes(let count):
                take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), now: now, actions: &actions)
            case .wouldBlock: break
            case .failed:
                vanish(&actions)
                return false
            }
        }
        while secure?.hasInput == true, wantsInput {
            guard let outcome = secure?.read(into: buffer) else { break }
            switch outcome {
            case .bytes(let count):
                let input = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                receive(input, now: now, numbering: &numbering, actions: &actions)
            case .wantsInput: break
            case .ended: receiveEnd(now: now, numbering: &numbering, actions: &actions)
            case .failed: breakOff(now: now, actions: &actions)
            }
        }
        return true
    }

    private func take(_ input: UnsafeRawBufferPointer, now: Moment, actions: inout [ConnectionState.Action]) {
        guard let received = secure?.receive(input, now: now) else { return }
        switch received {
        case .taken: break
        case .opened:
            guard let facts = secure?.facts else { return }
            state.begin(facts, now: now)
            actions.append(.secured(isResumed: facts.isResumed))
            if facts.applicationProtocol == "h2" { startHTTP2(now: now, actions: &actions) }
        case .clearText:
            // An answer in clear is what such a client can read.
            secure = nil
            actions.append(.insecure(.clearText))
            state.reject(
                .bad("This port speaks TLS: the URL must begin with https."), now: now, actions: &actions)
        case .failed: breakOff(now: now, actions: &actions)
        }
    }

    /// Tells the peer why TLS broke, and waits for it to close.
    private func breakOff(now: Moment, actions: inout [ConnectionState.Action]) {
        if case .failed(let reason)? = secure?.phase { actions.append(.insecure(reason)) }
        abandon(now: now, actions: &actions)
        owesEnd = true
    }

    /// Encrypts from the front of the output.
    func encrypt(now: Moment, actions: inout [ConnectionState.Action]) {
        if secure?.encrypt(http2?.output ?? state.output) == false { breakOff(now: now, actions: &actions) }
    }

    /// Sends what TLS has to send; nil when plain bytes are wanted.
    func flush(_ written: inout Int, now: inout Moment, actions: inout [ConnectionState.Action]) -> Progress? {
        while let next = secure?.next(now: now) {
            switch next {
            case .send(let limit):
                if written >= Self.turnSize { return .yields }
                let sent = now
                let outcome = secure?.withOutput { bytes in
                    send(UnsafeRawBufferPointer(rebasing: bytes.prefix(limit)), now: sent)
                }
                switch outcome ?? .failed(0) {
                case .bytes(let count):
                    written += count
                    now = Moment.now
                    secure?.sent(count)
                    writesOn(now: now)
                case .wouldBlock:
                    writeBlocked()
                    return afterWriting
                case .failed:
                    vanish(&actions)
                    return .closed
                }
            case .delivered(let plain): wrote(plain, now: now, actions: &actions)
            case .nothing:
                if owesEnd {
                    owesEnd = false
                    wire.finishSending(now: now)
                }
                return isHandshaking ? afterWriting : nil
            case .reset, .close:
                actions.append(.insecure(.fault))
                if next == .reset { wire.resetOnClose(now: now) } else { wire.endBeforeClose(now: now) }
                secure = nil
                giveUp(&actions)
                return .closed
            }
        }
        return nil
    }

    private func send(_ bytes: UnsafeRawBufferPointer, now: Moment) -> Socket.Outcome {
        // The kernel only reads through it, whatever `iovec` says.
        let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        let vector = iovec(iov_base: base, iov_len: bytes.count)
        return withUnsafePointer(to: vector) { wire.send(UnsafeBufferPointer(start: $0, count: 1), now: now) }
    }
}
