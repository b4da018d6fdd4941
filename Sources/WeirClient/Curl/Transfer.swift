#if !canImport(Darwin)
import CWeirCurl
import WeirModel

/// One exchange on its way through the loop.
///
/// `@unchecked Sendable`: the caller fills it before `CurlLoop.submit`; from then on the loop's thread alone touches it until
/// it completes the transfer, and then the caller alone. An abandoned transfer is the exception: the loop keeps it and
/// reads `isAbandoned`, which it wrote before it completed the transfer; nobody writes to it any more. With one owner at a
/// time no accesses overlap, so there is no run-time check for it.
final class Transfer: @unchecked Sendable {
    /// Above this many bytes, the rest of a redirect's body is not read.
    static let droppedBodyLimit: Int64 = 64 * 1024

    let handle: EasyHandle
    let limits: Limits
    /// Whether redirects are followed, so that their bodies are of no use.
    let followsRedirects: Bool

    /// Who waits for the end, when nobody reads along.
    @exclusivity(unchecked) var waiter: UnsafeContinuation<Void, Never>?

    /// The place among the loop's active transfers.
    @exclusivity(unchecked) var slot: Int?
    @exclusivity(unchecked) var isFinished = false
    /// Why it shall end, when that is known before it starts.
    @exclusivity(unchecked) var endsEarly: TransferFailure?
    /// Whether its caller was let go while libcurl still waits for a name lookup.
    @exclusivity(unchecked) var isAbandoned = false
    /// Whether the body is read and dropped.
    @exclusivity(unchecked) var dropsBody = false
    @exclusivity(unchecked) var isReceivePaused = false
    @exclusivity(unchecked) var isSendPaused = false
    /// When something last came or went, to the precision of the loop's turns.
    @exclusivity(unchecked) var lastActivity: Moment
    /// The worst lateness of the loop while it was under way, in nanoseconds.
    @exclusivity(unchecked) var schedulingDelay: Int64 = 0

    init(_ handle: EasyHandle, limits: Limits, followsRedirects: Bool) {
        self.handle = handle
        self.limits = limits
        self.followsRedirects = followsRedirects
        lastActivity = handle.marks.fetchStart
    }

    func touch() {
        if let turn = handle.turn { lastActivity = turn.now }
    }

    func headIsComplete(_ handle: EasyHandle) {
        if followsRedirects, RedirectPolicy.isRedirect(handle.head.status), handle.head.hasLocation {
            dropsBody = true
        } else if case .pipe(let pipe) = handle.sink {
            pipe.headIsComplete(BodyPipe.Head(bytes: handle.head.bytes, status: handle.head.status))
        }
    }

    /// Lets the caller go on.
    ///
    /// Nothing of the transfer may be touched afterwards, unless it is abandoned.
    func complete() {
        isFinished = true
        // The handle is the caller's from when it is passed on.
        let sink = handle.sink
        handle.pass()
        if case .pipe(let pipe) = sink {
            pipe.finish()
        } else {
            waiter.take()?.resume()
        }
    }
}

extension Transfer {
    /// The time limits of a transfer, in nanoseconds; the time to connect is libcurl's to watch.
    struct Limits {
        var request: Int64
        var betweenBytes: Int64
        var resource: Int64
        /// When the whole task must be done.
        var resourceDeadline: Moment

        /// The shorter of the limits of silence.
        var silence: Int64 { min(request, betweenBytes) }
    }

    /// When the transfer has to have made progress, and what it means if it has not.
    var deadline: (Moment, TransferFailure) {
        var deadline = limits.resourceDeadline
        var failure = TransferFailure.timedOut(.resource, .nanoseconds(limits.resource))
        // Neither waiting in line for a connection nor a consumer that does not read is the server's silence.
        guard handle.marks.usedNetwork, !isReceivePaused, !isSendPaused else { return (deadline, failure) }
        let hasHead = handle.marks.lastByte != nil
        let limit = hasHead ? limits.betweenBytes : limits.request
        if lastActivity + limit < deadline {
            deadline = lastActivity + limit
            failure = .timedOut(hasHead ? .betweenBytes : .request, .nanoseconds(limit))
        }
        return (deadline, failure)
    }
}
#endif
