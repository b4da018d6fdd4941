#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Synchronization
import WeirModel

/// What a session over libcurl consists of; its tasks hold it, the loop does not.
final class CurlTransport: Sendable {
    /// As many as are in flight on one connection of HTTP/2, and some: making one costs several requests.
    private static let mostIdleHandles = 128

    let settings: CurlSettings
    let loop: CurlLoop
    let lifecycle: SessionLifecycle
    let heads = ResponseHeadCache()
    let flights = Flights()
    let observers: [any TaskObserver]
    /// The unit of work in which the session was made.
    let unit: UnitOfWork.Origin?

    /// Handles that no task uses, the latest used last: its memory is the warmest.
    private let idleHandles = Lock<[EasyHandle]>([])

    init(configuration: HTTPSession.Configuration, observers: [any TaskObserver]) {
        settings = CurlSettings(configuration)
        let loop = CurlLoop(connectionsPerHost: max(1, configuration.httpMaximumConnectionsPerHost))
        self.loop = loop
        lifecycle = SessionLifecycle(atEnd: { loop.stop(.whenIdle) })
        self.observers = observers
        unit = UnitOfWork.Origin.current
    }

    func takeHandle() throws -> EasyHandle {
        if let handle = idleHandles.withLock({ $0.popLast() }) {
            handle.accept()
            return handle
        }
        guard let handle = EasyHandle(settings) else {
            throw URLError(.unknown, sentence: "libcurl could not be set up.")
        }
        return handle
    }

    func giveBack(_ handle: EasyHandle) {
        handle.release()
        guard !handle.isSpent else { return }
        handle.pass()
        let isKept = idleHandles.withLock { handles in
            guard handles.count < Self.mostIdleHandles else { return false }
            handles.append(handle)
            return true
        }
        // A session that ends gives up its handles; this one may have come back after that.
        if isKept, lifecycle.isInvalidated { idleHandles.withLock { $0.removeAll() } }
    }

    func invalidate() {
        lifecycle.invalidate()
        loop.stop(.now)
        idleHandles.withLock { $0.removeAll() }
    }

    func finishTasksAndInvalidate() {
        lifecycle.invalidate()
        idleHandles.withLock { $0.removeAll() }
    }

    nonisolated(nonsending) func drain() async {
        await lifecycle.idle()
        if lifecycle.isInvalidated { await loop.waitForExit() }
    }
}
#endif
