#if !canImport(Darwin)
import CWeirCurl
import Synchronization
import WeirModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The thread of a session on which libcurl runs, and the way to it.
///
/// The thread starts with the first transfer and ends when it is told to stop and nothing is under way. It holds the loop
/// but not the session.
final class CurlLoop: Sendable {
    enum Command {
        case start(Transfer)
        case end(Transfer, TransferFailure)
        case resumeReceiving(Transfer)
        case resumeSending(Transfer)
    }

    enum Stop {
        /// When all transfers are done.
        case whenIdle
        /// Now: what is under way fails.
        case now
    }

    private struct Inbox: ~Copyable {
        var commands: [(Command, Moment)] = []
        var multi: Curl.Multi?
        var stop: Stop?
        var isSleeping = false
        /// Whether nothing is taken any more.
        var hasExited = false
        /// Whether libcurl's connections are closed, and only the thread's last instructions are left.
        var isClosed = false
        var exitWaiters: [UnsafeContinuation<Void, Never>] = []
        var thread: pthread_t?
    }

    /// The most connections to all hosts together that are kept open.
    private static let mostConnections = 256

    private let inbox = Lock(Inbox())
    /// Threads that are about to call `wakeUp`, for which the multi handle must stay open.
    private let wakers = Atomic(0)
    /// How many commands were posted that the thread has not taken; it may look without the lock.
    private let posted = Atomic(0)
    private let connectionsPerHost: Int

    init(connectionsPerHost: Int) { self.connectionsPerHost = connectionsPerHost }

    deinit {
        // The thread is gone or, when this runs on it, about to go; nobody will wait for it.
        if let thread = inbox.withLock({ $0.thread }) { pthread_detach(thread) }
    }

    /// Hands a transfer to the loop, which will complete it in whatever way.
    func submit(_ transfer: Transfer) {
        transfer.handle.pass()
        guard let failure = post(.start(transfer), mayStart: true) else { return }
        transfer.handle.failure = failure
        transfer.handle.marks.end = .now
        transfer.complete()
    }

    /// Ends a transfer early; does nothing when it is over.
    func end(_ transfer: Transfer, _ failure: TransferFailure) { _ = post(.end(transfer, failure)) }

    /// Offers body bytes again for which there was no room.
    func resumeReceiving(_ transfer: Transfer) { _ = post(.resumeReceiving(transfer)) }

    /// Asks again for body bytes that were not there.
    func resumeSending(_ transfer: Transfer) { _ = post(.resumeSending(transfer)) }

    /// Ends the thread, when it may.
    func stop(_ stop: Stop) {
        let (multi, waiters) = inbox.withLock { inbox -> (Curl.Multi?, [UnsafeContinuation<Void, Never>]) in
            if inbox.stop != .now { inbox.stop = stop }
            posted.store(.max, ordering: .relaxed)
            guard inbox.multi != nil, !inbox.hasExited else {
                // There was never a thread.
                guard !inbox.hasExited else { return (nil, []) }
                inbox.hasExited = true
                inbox.isClosed = true
                defer { inbox.exitWaiters = [] }
                return (nil, inbox.exitWaiters)
            }
            return (wakerIfNeeded(&inbox), [])
        }
        for waiter in waiters { waiter.resume() }
        wake(multi)
    }

    /// Waits until the thread is gone; it must have been told to stop.
    nonisolated(nonsending) func waitForExit() async {
        await withUnsafeContinuation { continuation in
            let isGone = inbox.withLock { inbox in
                if inbox.isClosed { return true }
                inbox.exitWaiters.append(continuation)
                return false
            }
            if isGone { continuation.resume() }
        }
        // The thread has nothing left to do but to end.
        if let thread = inbox.withLock({ $0.thread.take() }) { pthread_join(thread, nil) }
    }

    /// - Returns: Why the loop does not take it; nil when it does.
    private func post(_ command: Command, mayStart: Bool = false) -> TransferFailure? {
        let now = Moment.now
        let (failure, multi) = inbox.withLock { inbox -> (TransferFailure?, Curl.Multi?) in
            if inbox.hasExited || (mayStart && inbox.stop == .now) { return (.invalidated, nil) }
            // A transfer may be ended before it is started, and that before there is a thread.
            if inbox.multi == nil, mayStart {
                guard let multi = Curl.Multi(), let thread = start(multi) else { return (.noThread, nil) }
                inbox.multi = multi
                inbox.thread = thread
            }
            inbox.commands.append((command, now))
            posted.store(inbox.commands.count, ordering: .relaxed)
            return (nil, wakerIfNeeded(&inbox))
        }
        wake(multi)
        return failure
    }

    private func wakerIfNeeded(_ inbox: inout Inbox) -> Curl.Multi? {
        guard inbox.isSleeping else { return nil }
        inbox.isSleeping = false
        wakers.add(1, ordering: .acquiring)
        return inbox.multi
    }

    private func wake(_ multi: Curl.Multi?) {
        guard let multi else { return }
        multi.wakeUp()
        wakers.subtract(1, ordering: .releasing)
    }

    private func start(_ multi: Curl.Multi) -> pthread_t? {
        multi.set(CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        // libcurl keeps four times as many connections as there are transfers at the moment, and closes good ones when
        // several end together.
        multi.set(CURLMOPT_MAXCONNECTS, max(Self.mostConnections, connectionsPerHost))
        final class Box {
            let loop: CurlLoop
            let multi: Curl.Multi
            init(_ loop: CurlLoop, _ multi: Curl.Multi) {
                self.loop = loop
                self.multi = multi
            }
        }
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(self, multi))
        // The thread takes no signals: SIGPIPE of a closed TLS connection stays pending there and does no harm.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                let box = Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue()
                Curl.nameThread("weir-curl")
                box.loop.run(box.multi)
                return nil
            }, box.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            box.release()
            multi.close()
            return nil
        }
        return thread
    }

    private func run(_ multi: Curl.Multi) {
        let turn = Turn(multi)
        var linger = Linger()
        var commands: [(Command, Moment)] = []
        while true {
            let stop = inbox.withLock { inbox in
                inbox.isSleeping = false
                posted.store(0, ordering: .relaxed)
                swap(&commands, &inbox.commands)
                return inbox.stop
            }
            turn.begin()
            for (command, posted) in commands { turn.apply(command, posted: posted) }
            commands.removeAll(keepingCapacity: true)
            if stop == .now { turn.endAll(.invalidated) }
            let completed = turn.perform()
            if completed > 0, linger.isWorthwhile() {
                // With nothing else to do each command is begun at once; otherwise one turn is to begin as many as can be.
                let came =
                    turn.isIdle
                    ? comes(1, within: Linger.longestIdle) : comes(completed, within: Linger.longestBusy)
                linger.note(came)
                if came { continue }
            }
            if stop != nil, turn.isIdle, exitIfNothingCame() { break }
            let timeout = turn.milliseconds()
            let maySleep = inbox.withLock { inbox in
                inbox.isSleeping = inbox.commands.isEmpty && (inbox.stop == stop)
                return inbox.isSleeping
            }
            if maySleep { turn.sleep(timeout) }
        }
        turn.close()
        while wakers.load(ordering: .acquiring) > 0 { sched_yield() }
        multi.close()
        let waiters = inbox.withLock { inbox in
            inbox.isClosed = true
            defer { inbox.exitWaiters = [] }
            return inbox.exitWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for so many commands for a moment, awake.
    private func comes(_ count: Int, within nanoseconds: Int64) -> Bool {
        let end = Moment.now + nanoseconds
        repeat {
            for _ in 0..<16 {
                if posted.load(ordering: .relaxed) >= count { return true }
                Curl.relax()
            }
        } while Moment.now < end
        return false
    }

    private func exitIfNothingCame() -> Bool {
        inbox.withLock { inbox in
            guard inbox.commands.isEmpty else { return false }
            inbox.hasExited = true
            return true
        }
    }
}
#endif
