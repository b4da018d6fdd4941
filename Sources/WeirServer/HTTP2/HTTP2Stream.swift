import Foundation
import WeirModel

/// One request of an HTTP/2 connection and its answer; it belongs to its ``HTTP2Connection``.
final class HTTP2Stream {
    enum Stage {
        /// The head's fields arrive.
        case head
        /// The head is here, the body arrives.
        case body(RequestHead)
        /// The request is complete, or was refused.
        case answered
    }

    let id: Int32
    var stage = Stage.head
    var builder: HTTP2RequestBuilder
    var body = Data()
    /// Whether the body is thrown away while it arrives, and how much of it was.
    var discards = false
    var discarded = 0
    /// Where the body goes, if the handler gets it while it arrives.
    var arriving: ArrivingBody?
    /// Bytes of the body that the stream's window has not been given back.
    var owed = 0
    /// The request's number, nil until it is complete, and when the server answers by itself.
    var number: Int?
    var started: Moment
    var lastRead: Moment
    /// The end of the request, or of what there was of it.
    var requestEnd: Moment
    /// Whether more of the request may come.
    var isReceiving = true

    /// The answer, from when there is one.
    var sequence: ResponseSequence?
    /// The piece of the body that is being sent, and how much of it was.
    var pending: [UInt8] = []
    var pendingStart = 0
    /// Frames of the answer that are on their way and not with the network.
    var outstanding = 0
    /// Whether the answer goes on when none are.
    var waitsForFlush = false
    /// Whether the answer goes on when its feed brings something.
    var waitsForFeed = false
    /// When the answer goes on.
    var wakeAt: Moment?
    /// When it was last to go on, so that a piece that was held up by windows can be told.
    var wokenAt: Moment?
    /// Whether the head was submitted, so that bytes are given out when they are asked for.
    var sendsBody = false
    /// Whether the client broke a rule on it, which nghttp2 answers.
    var isInvalid = false
    /// Whether a fault waits for its turn.
    var hasFault = false
    /// Whether the answer's last frame was given out.
    var hasEnded = false
    /// When frames of the answer last went out.
    var lastProgress: Moment

    init(_ id: Int32, limits: LocalServer.Limits, now: Moment) {
        self.id = id
        builder = HTTP2RequestBuilder(limits: limits)
        started = now
        lastRead = now
        requestEnd = now
        lastProgress = now
    }

    var isFlushed: Bool { outstanding == 0 }

    /// Whether the answer waits for the peer to open a window.
    var isHeldUp: Bool { sendsBody && !hasEnded && wakeAt == nil && !waitsForFlush && !waitsForFeed && !hasFault }
}
