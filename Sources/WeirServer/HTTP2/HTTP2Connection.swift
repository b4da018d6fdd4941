import Foundation
import WeirModel

/// One connection's HTTP/2, apart from its socket, as ``ConnectionState`` is for HTTP/1.1: fed what was read, asked what comes next.
///
/// It lives on the event thread. nghttp2 frames and unframes; what is asked of it here are requests, answers in time, faults and
/// bounds.
final class HTTP2Connection {
    typealias Action = ConnectionState.Action
    typealias Step = ConnectionState.Step

    enum Phase: Equatable {
        /// Requests are read and answered.
        case open
        /// No more is read; what was made is sent.
        case ending
        /// All was sent; the peer's last bytes are thrown away until it closes.
        case lingering(until: Moment)
        case resetting
        case closed
    }

    /// Something about a stream that waits until all frames before it were given out.
    enum Fault {
        case raw([UInt8])
        case resetStream(UInt32)
        case goAway(UInt32, servesThis: Bool)
        case resetConnection
        case hangUp
    }

    /// A frame that is in the output, to be noted when it is with the network.
    struct Sent {
        /// Where it ends in all that was ever put into the output.
        var end: Int
        var stream: Int32
        var request: Int?
        var bytes: Int
        var isLast: Bool
    }

    /// What is gathered for one write at most.
    static var gatherSize: Int { 65_536 }

    let session: HTTP2Session
    let connection: Int
    let remotePort: Int
    let options: LocalServer.Options
    let timeouts: ConnectionState.Timeouts
    let tls: LocalServer.Request.TLS?

    var phase = Phase.open
    var output = OutputBuffer()
    /// Bytes that were ever put into the output, and bytes that were sent.
    var appended = 0
    var written = 0
    /// Frames in the output, from `firstSent` on.
    var ledger: [Sent] = []
    var firstSent = 0
    var streams: [Int32: HTTP2Stream] = [:]
    /// The streams of requests that have a number.
    var streamOfRequest: [Int: Int32] = [:]
    /// The latest stream that the client opened.
    var lastStream: Int32 = 0
    /// Streams that the server reset before the client had ended them, so that more may come of what the client sent before it knew.
    var resetStreams = ResetStreams()
    var faults: [(stream: HTTP2Stream, fault: Fault)] = []
    /// Handlers that were started and have not answered, those of streams that are gone included.
    var running = 0
    /// Bytes of bodies that are received, or held by handlers of open streams.
    var bodyBytes = 0
    var scanner: HTTP2FrameScanner
    var floodGuard: HTTP2FloodGuard
    /// Why the connection has to end, once something was too much.
    var condemned: (code: LocalServer.HTTP2.ErrorCode, reason: String)?
    var hangsUp = false
    /// GOAWAY frames that are on their way because they were asked for.
    var plannedGoAways = 0

    /// The time of the call that runs, for the callbacks inside of it; as are the next two.
    var now: Moment
    var numbering = 0
    var actions: [Action] = []

    /// Whether the peer sends no more.
    var peerClosed = false
    var probeAt: Moment?
    var probeInterval: Int64 = 2_000_000
    /// When the block of fields began that is not at its end.
    var blockStarted: Moment?
    /// Whether the WINDOW_UPDATE that arrives is inside of such a block.
    var isUpdateMisplaced = false
    /// When the server's SETTINGS were made, as long as the client has not acknowledged them.
    var settingsSent: Moment?
    var idleSince: Moment
    var lastWrite: Moment

    /// Nil when memory runs out, or when this build has no nghttp2.
    init?(
        connection: Int, remotePort: Int, options: LocalServer.Options, tls: LocalServer.Request.TLS?, now: Moment
    ) {
        guard let session = HTTP2Session(options.http2, limits: options.limits) else { return nil }
        self.session = session
        self.connection = connection
        self.remotePort = remotePort
        self.options = options
        self.tls = tls
        timeouts = ConnectionState.Timeouts(options.timeouts)
        scanner = HTTP2FrameScanner(frameSize: max(16_384, options.http2.frameSize))
        floodGuard = HTTP2FloodGuard(limit: options.http2.floodLimit, now: now)
        self.now = now
        settingsSent = now
        idleSince = now
        lastWrite = now
    }

    /// Gives over what has to be done.
    func hand(_ numbering: inout Int, _ actions: inout [Action]) {
        numbering = self.numbering
        hand(&actions)
    }

    func hand(_ actions: inout [Action]) {
        guard !self.actions.isEmpty else { return }
        actions.append(contentsOf: self.actions)
        self.actions.removeAll(keepingCapacity: true)
    }

    /// Ends everything: the peer is gone, or the server stops.
    func vanish(_ actions: inout [Action]) {
        abandon()
        hand(&actions)
        phase = .closed
    }

    /// Gives up what is owed, and waits for the peer to close after it was told why.
    func breakOff(now: Moment, actions: inout [Action]) {
        abandon()
        hand(&actions)
        output = OutputBuffer()
        phase = .lingering(until: now + timeouts.linger)
    }

    /// Gives up what is owed.
    func abandon() {
        for stream in streams.values { giveUp(stream) }
        streams = [:]
        streamOfRequest = [:]
        bodyBytes = 0
        faults = []
    }

    /// Takes note that a stream's answer will not be sent whole.
    func giveUp(_ stream: HTTP2Stream) {
        stream.arriving?.fail("The stream ended before the body did.")
        stream.arriving = nil
        guard let number = stream.number, !stream.hasEnded else { return }
        stream.hasEnded = true
        actions.append(.cancel(request: number))
    }

    func goAway(last: Int32?, code: UInt32, text: String = "") {
        plannedGoAways += 1
        session.goAway(last: last, code: code, text: text)
    }

    /// Says why the connection ends, and takes nothing more.
    func end(_ code: LocalServer.HTTP2.ErrorCode, _ reason: String) {
        guard phase == .open else { return }
        goAway(last: nil, code: code.rawValue, text: reason)
        if code != .noError {
            // There is no status: none is answered.
            actions.append(.rejected(Rejection(status: 0, reason: "\(code): \(reason)")))
        }
        abandon()
        phase = .ending
    }
}
