#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import WeirModel

/// A connection's bytes as the server sees them: those of the socket, or those that a simulated link has brought.
///
/// Whoever is above reads and writes, and never sees the link: reading gives what has arrived, writing goes on as long as
/// the sender's buffer has room, and a close or a reset follows what was written before.
final class Wire {
    let id: UInt64
    private let socket: Socket
    // What the kernel has told.
    private var socketIsReadable = false
    private var socketIsWritable = true
    private var endsAfterInput = false
    /// Nil without a link.
    private var link: LinkShell?
    // With a link: what was read and written, in so far as it is not with the other side.
    private var up = ByteQueue()
    private var down = ByteQueue()
    /// Whether the client's end was read from the socket.
    private var inputEnded = false
    /// Whether that end was handed up.
    private var endIsTaken = false
    /// Whether the end of the way down has reached the socket, or nothing more can.
    private var outputEnded = false
    /// Whether the peer is gone both ways, and whether the link was told.
    private var hungUp = false
    private var hangUpIsSent = false
    /// When a byte last moved down.
    private(set) var lastMove: Moment

    init(id: UInt64, socket: consuming Socket, now: Moment) {
        self.id = id
        self.socket = socket
        lastMove = now
    }

    deinit { link?.pacer.close(id) }

    var remotePort: UInt16 { socket.remotePort() }

    /// Whether the peer has closed both sides, where the system tells.
    func isPeerGone() -> Bool { socket.isPeerGone() }

    /// Puts the connection on a link.
    ///
    /// - Parameter isNew: Whether the connection was opened just now.
    func join(_ link: LinkShell, isNew: Bool, now: Moment) {
        guard self.link == nil else { return }
        self.link = link
        // The kernel would take a lot off the client's hands that the link has not brought.
        socket.limitReceiveBuffer(65_536)
        link.pacer.open(id, isNew: isNew, now: now)
        if !isNew, endsAfterInput { socketIsReadable = true }
    }

    func take(_ event: ReadinessEvent) {
        if event.isReadable || event.peerClosed || event.hungUp { socketIsReadable = true }
        if event.peerClosed || event.hungUp { endsAfterInput = true }
        if event.isWritable { socketIsWritable = true }
        if event.hungUp { hungUp = true }
    }

    /// Whether a reset by the peer has to be acted upon at once, rather than when the link brings it.
    var isDirect: Bool { link == nil }

    // MARK: - For the protocol

    /// Whether ``receive(into:)`` may have something.
    var isReadable: Bool {
        guard let link else { return socketIsReadable }
        let arrived = link.pacer.arrived(.up, of: id)
        return arrived.bytes > 0 || (arrived.ending != nil && !endIsTaken)
    }

    /// Whether the link has brought a reset by the peer, or its being gone both ways.
    var hasArrivedReset: Bool { link?.pacer.arrived(.up, of: id).ending == .reset }

    func receive(into buffer: UnsafeMutableRawBufferPointer, now: Moment) -> Socket.Outcome {
        guard let link else {
            let outcome = socket.receive(into: buffer)
            switch outcome {
            case .bytes(0), .wouldBlock: socketIsReadable = false
            // A short read has taken everything; what comes later makes an event, which the end of the stream has
            // made already if it is known.
            case .bytes(let count): if count < buffer.count, !endsAfterInput { socketIsReadable = false }
            case .failed: break
            }
            return outcome
        }
        let arrived = link.pacer.arrived(.up, of: id)
        let wanted = min(arrived.bytes, buffer.count, up.count)
        guard wanted > 0 else {
            switch arrived.ending {
            case nil: return .wouldBlock
            case .finish:
                endIsTaken = true
                return .bytes(0)
            case .reset: return .failed(ECONNRESET)
            }
        }
        let count = up.withFirst(wanted) { bytes in
            buffer.copyMemory(from: bytes)
            return bytes.count
        }
        up.removeFirst(count)
        link.pacer.take(count, .up, of: id, now: now)
        return .bytes(count)
    }

    func send(_ vectors: UnsafeBufferPointer<iovec>, now: Moment) -> Socket.Outcome {
        guard let link else {
            guard socketIsWritable else { return .wouldBlock }
            let outcome = socket.send(vectors)
            if outcome == .wouldBlock { socketIsWritable = false }
            return outcome
        }
        var room = link.pacer.room(.down, of: id)
        guard room > 0 else {
            link.pacer.awaitRoom(.down, of: id)
            return .wouldBlock
        }
        var taken = 0
        for vector in vectors where room > 0 {
            let bytes = UnsafeRawBufferPointer(start: vector.iov_base, count: min(vector.iov_len, room))
            down.append(bytes)
            room -= bytes.count
            taken += bytes.count
        }
        if down.count == taken { lastMove = now }
        link.pacer.enqueue(taken, .down, of: id, now: now)
        return .bytes(taken)
    }

    /// Sends the end of the stream.
    func finishSending(now: Moment) {
        guard let link else { return socket.finishSending() }
        link.pacer.end(.finish, .down, of: id, now: now)
    }

    /// Sees to it that on a link the close comes after what was sent.
    func endBeforeClose(now: Moment) { link?.pacer.end(.finish, .down, of: id, now: now) }

    /// Makes the close a reset, which on a link comes after what was sent.
    func resetOnClose(now: Moment) {
        guard let link else { return socket.resetOnClose() }
        link.pacer.end(.reset, .down, of: id, now: now)
    }

    /// Makes the close a reset that takes what is on its way with it.
    func resetAtOnce() {
        socket.resetOnClose()
        outputEnded = true
    }

    // MARK: - For the link

    /// Moves bytes between the socket and the link, as far as both can.
    func pump(_ buffer: UnsafeMutableRawBufferPointer, now: Moment) {
        guard let link else { return }
        write(from: link, now: now)
        read(from: link, buffer, now: now)
    }

    private func read(from link: LinkShell, _ buffer: UnsafeMutableRawBufferPointer, now: Moment) {
        while socketIsReadable, !inputEnded, !hungUp {
            let room = min(link.pacer.room(.up, of: id), buffer.count)
            guard room > 0 else { return link.pacer.awaitRoom(.up, of: id) }
            switch socket.receive(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])) {
            case .bytes(0):
                inputEnded = true
                socketIsReadable = false
                link.pacer.end(.finish, .up, of: id, now: now)
            case .bytes(let count):
                if count < room, !endsAfterInput { socketIsReadable = false }
                up.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                link.pacer.enqueue(count, .up, of: id, now: now)
            case .wouldBlock: socketIsReadable = false
            case .failed: hungUp = true
            }
        }
        guard hungUp, !hangUpIsSent else { return }
        // What the peer had sent before does not matter any more: nobody could be answered.
        hangUpIsSent = true
        inputEnded = true
        outputEnded = true
        link.pacer.end(.reset, .up, of: id, now: now)
    }

    private func write(from link: LinkShell, now: Moment) {
        while !outputEnded {
            let arrived = link.pacer.arrived(.down, of: id)
            if arrived.bytes == 0 {
                switch arrived.ending {
                case nil: break
                case .finish:
                    socket.finishSending()
                    outputEnded = true
                case .reset:
                    socket.resetOnClose()
                    outputEnded = true
                }
                return
            }
            guard socketIsWritable else { return }
            let outcome = down.withFirst(arrived.bytes) { bytes in
                var vector = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                return withUnsafePointer(to: &vector) { socket.send(UnsafeBufferPointer(start: $0, count: 1)) }
            }
            switch outcome {
            case .bytes(let count):
                down.removeFirst(count)
                lastMove = now
                link.pacer.take(count, .down, of: id, now: now)
            case .wouldBlock: socketIsWritable = false
            case .failed:
                outputEnded = true
                hungUp = true
            }
        }
    }

    /// Whether the link still has something to bring to the client, after the server is done with the connection.
    var isDeparting: Bool {
        guard let link, !outputEnded else { return false }
        return down.count > 0 || !link.pacer.isDelivered(.down, of: id)
            || link.pacer.arrived(.down, of: id).ending != nil
    }

    /// Throws away what the client sends, once the server is done with the connection.
    func drain(_ buffer: UnsafeMutableRawBufferPointer, now: Moment) {
        guard let link else { return }
        if hungUp { outputEnded = true }
        while socketIsReadable, !inputEnded, !hungUp {
            switch socket.receive(into: buffer) {
            case .bytes(0): inputEnded = true
            case .bytes: break
            case .wouldBlock: socketIsReadable = false
            case .failed: outputEnded = true
            }
            if outputEnded { return }
        }
        write(from: link, now: now)
    }
}
