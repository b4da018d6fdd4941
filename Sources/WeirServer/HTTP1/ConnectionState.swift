import Foundation
import WeirModel

/// One connection's protocol, apart from its socket: what arrived, what is owed, what comes next.
///
/// The owner feeds it what it read, asks ``nextStep(now:numbering:actions:)`` after any change, and does what the
/// actions say.
struct ConnectionState: ~Copyable {
    /// What the owner has to do about requests.
    enum Action {
        /// A request is complete: put it into the journal.
        case received(LocalServer.Request)
        /// Ask the handler.
        case start(LocalServer.Request)
        /// Nobody waits for the answer any more.
        case cancel(request: Int)
        /// The server answered by itself.
        case rejected(Rejection)
        /// Bytes of a body that nobody wants arrived.
        case discarded(bytes: Int)
        /// An answer's bytes went out.
        case wrote(request: Int, bytes: Int, at: Moment)
        /// An answer is out whole, or cut short as planned.
        case finished(request: Int)
        /// TLS is agreed on.
        case secured(isResumed: Bool)
        /// TLS is not agreed on, or broke.
        case insecure(LocalServer.HandshakeFailure.Reason)
    }

    /// What to do with the socket.
    enum Step: Equatable {
        /// Send from ``output``.
        case write
        /// Nothing until input, room to write, a handler's answer or ``deadline``.
        case wait
        /// Send the end of the stream, then go on.
        case finishSending
        /// Close with a reset.
        case reset
        /// Close.
        case close
    }

    enum Phase: Equatable {
        /// Requests are read and answered.
        case open
        /// No more is read; what is owed is answered.
        case draining
        /// All was sent; the peer's last bytes are thrown away until it closes.
        case lingering(until: Moment)
        case resetting
        case closed
    }

    /// One request and its answer.
    struct Exchange {
        enum Stage {
            /// The body is not all here; whether the server owes `100 (Continue)`.
            case receiving(owesContinue: Bool)
            case queued
            case handling
            case answering
        }

        /// The request's number, nil until it is complete, and when the server answers by itself.
        var number: Int?
        var stage: Stage
        /// Whether the client waits for `100 (Continue)` before it sends a body that the handler gets as it comes.
        var owesContinue = false
        var requestEnd: Moment
        /// The request, as long as it is queued.
        var request: LocalServer.Request?
        /// The answer, from when there is one.
        var sequence: ResponseSequence?
    }

    /// What is gathered for one write at most.
    static var gatherSize: Int { 65_536 }
    /// How many bytes of answers may wait while the next is made.
    static var waitingSize: Int { 262_144 }

    let connection: Int
    let remotePort: Int
    let limits: LocalServer.Limits
    let timeouts: Timeouts
    let expectation: LocalServer.Expectation

    /// What TLS agreed on, once it has.
    var tls: LocalServer.Request.TLS?

    var phase = Phase.open
    var output = OutputBuffer()
    var parser: RequestParser
    var exchanges: [Exchange] = []
    /// The request that is being received.
    var head: RequestHead?
    var body = Data()
    /// Where the body that is being received goes, if the handler gets it as it comes, and the request's number.
    var arriving: (body: ArrivingBody, request: Int, keepsAlive: Bool)?
    /// Bytes of that request's body that were thrown away.
    var discarded = 0
    /// Input that may not be parsed before an answer is out, from `backlogStart` on.
    var backlog: [UInt8] = []
    var backlogStart = 0
    /// Whether the peer sends no more.
    var peerClosed = false
    /// When to look next whether a peer that sends no more still reads, and how long to wait after that.
    var probeAt: Moment?
    var probeInterval: Int64 = 2_000_000

    /// When the answer that is being sent goes on.
    var wakeAt: Moment?
    var started: Moment
    var lastRead: Moment
    var lastWrite: Moment
    var idleSince: Moment

    init(connection: Int, remotePort: Int, options: LocalServer.Options, now: Moment) {
        self.connection = connection
        self.remotePort = remotePort
        limits = options.limits
        timeouts = Timeouts(options.timeouts)
        expectation = options.expectation
        parser = RequestParser(
            limits: options.limits, discardsBody: options.discardsBody, streamsBodies: options.streamsBodies)
        started = now
        lastRead = now
        lastWrite = now
        idleSince = now
    }

    /// Takes the end of a TLS handshake for the connection's beginning.
    mutating func begin(_ facts: LocalServer.Request.TLS, now: Moment) {
        tls = facts
        started = now
        idleSince = now
    }

    /// Gives up what is owed, and waits for the peer to close after it was told why.
    mutating func breakOff(now: Moment, actions: inout [Action]) {
        abandon(&actions)
        output = OutputBuffer()
        phase = .lingering(until: now + timeouts.linger)
    }

    /// Ends everything: the peer is gone, or the server stops.
    mutating func vanish(_ actions: inout [Action]) {
        abandon(&actions)
        phase = .closed
    }

    /// Gives up what is owed.
    mutating func abandon(_ actions: inout [Action]) {
        for exchange in exchanges {
            if let number = exchange.number { actions.append(.cancel(request: number)) }
        }
        exchanges = []
        backlog = []
        head = nil
        arriving?.body.fail("The connection ended before the body did.")
        arriving = nil
    }
}
