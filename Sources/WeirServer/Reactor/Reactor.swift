import Foundation
import WeirModel

/// A server's event loop: made, run and gone on the event thread, which alone can reach it.
///
/// It holds what is shared, never the public handle, so that a server that nobody holds stops.
final class Reactor {
    private static let listenerToken = UInt64.max
    private static let mailboxToken = UInt64.max - 1

    let shared: ServerCore
    private let parts: Parts
    private let handler: LocalServer.Handler
    var connections: [UInt64: Connection] = [:]
    var deadlines = DeadlineHeap()
    /// The simulated link, once there was one; without one after that it lets everything through.
    var link: LinkShell?
    /// The wires of connections that are done with, as long as the link still has something to bring.
    var departing: [UInt64: Wire] = [:]
    var linkNews: [UInt64] = []
    var spareNews: [UInt64] = []
    private var nextConnection: UInt64 = 0
    private var nextRequest = 0
    private var actions: [ConnectionState.Action] = []
    /// Connections with something to do, in turn.
    var ready: [UInt64] = []
    // What the three lists are swapped with while they are worked off, so that neither is made anew each time.
    private var spareActions: [ConnectionState.Action] = []
    private var spareReady: [UInt64] = []
    private var messages: [Mailbox.Message] = []
    /// When to try to accept again, after descriptors ran out.
    private var acceptAgain: Moment?
    private var isStopping = false

    init(_ shared: ServerCore, parts: consuming Parts, handler: @escaping LocalServer.Handler) {
        self.shared = shared
        self.parts = parts
        self.handler = handler
        if let profile = shared.options.link {
            link = LinkShell(profile, seed: shared.options.linkSeed, now: .now)
        }
    }

    /// Registers what the loop waits for besides connections.
    static func register(_ listener: borrowing Socket, _ mailbox: Mailbox, in queue: borrowing EventQueue)
        throws(LocalServer.StartError)
    {
        try queue.add(listener.descriptor, token: listenerToken, writing: false)
        try queue.add(mailbox.descriptor, token: mailboxToken, writing: false)
    }

    /// Runs until the server stops; then closes everything.
    func run() {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while true {
                takeMessages(buffer)
                if isStopping { break }
                wait(mayBlock: ready.isEmpty)
                runReady(buffer)
                runDue(buffer)
                runLink(buffer)
            }
        }
        shared.mailbox.close()
        for connection in connections.values {
            connection.wire.resetAtOnce()
            connection.vanish(&actions)
            perform(for: connection)
            shared.journal.closed()
        }
        for wire in departing.values { wire.resetAtOnce() }
        connections = [:]
        departing = [:]
        shared.journal.end()
    }

    private func wait(mayBlock: Bool) {
        var timeout: Int64? = 0
        if mayBlock, shared.mailbox.fallAsleep() {
            let wake = [deadlines.earliest, acceptAgain, link?.wake].compactMap { $0 }.min()
            timeout = wake.map { max(0, $0 - Moment.now) }
        }
        var wasSignalled = false
        var accepts = false
        parts.queue.wait(timeout) { event in
            switch event.token {
            case Self.mailboxToken: wasSignalled = true
            case Self.listenerToken: accepts = true
            default: take(event)
            }
        }
        if mayBlock { shared.mailbox.awake(signalled: wasSignalled) }
        if let again = acceptAgain, again <= Moment.now { accepts = true }
        if accepts { acceptAll() }
    }

    private func take(_ event: ReadinessEvent) {
        guard let connection = connections[event.token] else {
            guard let wire = departing[event.token] else { return }
            wire.take(event)
            ready.append(event.token)
            return
        }
        connection.wire.take(event)
        if event.hungUp, connection.wire.isDirect {
            connection.vanish(&actions)
            close(connection)
        } else {
            ready.append(event.token)
        }
    }

    private func takeMessages(_ buffer: UnsafeMutableRawBufferPointer) {
        shared.mailbox.take(into: &messages)
        defer { messages.removeAll(keepingCapacity: true) }
        for message in messages {
            switch message {
            case .stop:
                isStopping = true
                return
            case .streamed(let id):
                guard let connection = connections[id] else { continue }
                connection.streamed()
                run(connection, buffer)
            case .link(let profile): change(to: profile)
            case .answer(let id, let request, let plan):
                guard let connection = connections[id] else { continue }
                // Streams are read by the handler's task.
                if plan.feeds.isEmpty { _ = connection.endHandler(of: request) }
                connection.answer(request, with: plan, actions: &actions)
                shared.journal.answered(request, status: plan.status, error: plan.error)
                run(connection, buffer)
            }
        }
    }

    private func acceptAll() {
        acceptAgain = nil
        while true {
            switch parts.listener.accept() {
            case .success(let socket):
                let id = nextConnection
                nextConnection += 1
                let descriptor = socket.descriptor
                let now = Moment.now
                let wire = Wire(id: id, socket: socket, now: now)
                guard (try? parts.queue.add(descriptor, token: id, writing: true)) != nil else { continue }
                if let link { wire.join(link, isNew: true, now: now) }
                let connection = Connection(wire, core: shared, now: now)
                connections[id] = connection
                shared.journal.opened()
                schedule(connection)
            case .failure(let failure):
                // Out of descriptors: the connections stay in the kernel's queue, and no event tells when to go on.
                if !failure.isEmpty { acceptAgain = Moment.now + 20_000_000 }
                return
            }
        }
    }

    private func runReady(_ buffer: UnsafeMutableRawBufferPointer) {
        guard !ready.isEmpty else { return }
        swap(&ready, &spareReady)
        for id in spareReady {
            if let connection = connections[id] {
                run(connection, buffer)
            } else {
                runDeparting(id, buffer)
            }
        }
        spareReady.removeAll(keepingCapacity: true)
    }

    private func runDue(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let earliest = deadlines.earliest else { return }
        let now = Moment.now
        guard earliest <= now else { return }
        while let id = deadlines.popDue(now) {
            guard let connection = connections[id] else {
                runDeparting(id, buffer)
                continue
            }
            connection.wake(actions: &actions)
            run(connection, buffer)
        }
    }

    func run(_ connection: Connection, _ buffer: UnsafeMutableRawBufferPointer) {
        let progress = connection.run(buffer, numbering: &nextRequest, actions: &actions)
        perform(for: connection)
        switch progress {
        case .closed: close(connection)
        case .yields:
            ready.append(connection.id)
            schedule(connection)
        case .blocked: schedule(connection)
        }
    }

    private func schedule(_ connection: Connection) {
        if let deadline = connection.deadline { deadlines.schedule(connection.id, at: deadline) }
    }

    private func close(_ connection: Connection) {
        perform(for: connection)
        deadlines.remove(connection.id)
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        shared.journal.closed()
        guard connection.wire.isDeparting else { return }
        departing[connection.id] = connection.wire
        deadlines.schedule(connection.id, at: .now)
    }

    private func perform(for connection: Connection) {
        guard !actions.isEmpty else { return }
        // Nothing below adds actions: handlers answer through the mailbox.
        swap(&actions, &spareActions)
        defer { spareActions.removeAll(keepingCapacity: true) }
        for action in spareActions {
            switch action {
            case .received(let request): shared.journal.received(request)
            case .start(let request): start(request, connection)
            case .cancel(let request):
                connection.endHandler(of: request)?.cancel()
                shared.journal.cancelled(request, at: .now)
            case .rejected(let rejection): shared.journal.rejected(rejection, connection: connection.number)
            case .discarded(let bytes): shared.journal.discarded(bytes)
            case .wrote(let request, let bytes, let now): shared.journal.wrote(request, bytes: bytes, at: now)
            case .secured(let isResumed): shared.journal.secured(isResumed: isResumed)
            case .insecure(let reason): shared.journal.insecure(reason, connection: connection.number)
            case .finished(let request):
                connection.endHandler(of: request)?.cancel()
                shared.journal.finished(request)
            }
        }
    }

    /// Runs the handler, here as far as it does not wait; its answer comes back through the mailbox.
    private func start(_ request: LocalServer.Request, _ connection: Connection) {
        let handler = handler
        let mailbox = shared.mailbox
        let options = shared.options
        let journal = shared.journal
        let id = connection.id
        request.arriving?.onRoom { mailbox.post(.streamed(connection: id)) }
        let work: @Sendable () async -> Void = {
            let context = RequestContext(request.head)
            let plan: ResponsePlan
            do {
                let response = try await handler(request)
                plan =
                    options.needsTime(for: response)
                    ? await ResponsePlan.makeElsewhere(response, for: request, options)
                    : ResponsePlan.make(
                        response.shaped(for: request.head, options: options), for: context, date: HTTPDate.now)
            } catch {
                plan = ResponsePlan.failure(String(describing: error), for: context, date: HTTPDate.now)
            }
            let feeds = plan.feeds
            mailbox.post(.answer(connection: id, request: request.number, plan))
            for feed in feeds {
                let isWhole = await feed.run(
                    wake: { mailbox.post(.streamed(connection: id)) },
                    failed: { error in
                        journal.answered(request.number, status: plan.status, error: String(describing: error))
                    })
                if !isWhole { return }
            }
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            connection.started(request.number, Task.immediate(operation: work))
        } else {
            connection.started(request.number, Task(operation: work))
        }
    }
}
