#if os(Linux)
import CWeirPosix
import Glibc

/// epoll, and the one place that calls it.
struct EventQueue: ReadinessQueue, ~Copyable {
    private let descriptor: Int32

    init() throws(LocalServer.StartError) {
        descriptor = weir_epoll_create()
        guard descriptor >= 0 else { throw .init(step: "make an epoll descriptor", errno: errno) }
    }

    deinit { _ = close(descriptor) }

    borrowing func add(_ descriptor: Int32, token: UInt64, writing: Bool) throws(LocalServer.StartError) {
        guard weir_epoll_add(self.descriptor, descriptor, token, writing ? 1 : 0) == 0 else {
            throw .init(step: "register a descriptor", errno: errno)
        }
    }

    borrowing func wait(_ timeout: Int64?, _ body: (ReadinessEvent) -> Void) {
        withUnsafeTemporaryAllocation(of: weir_event.self, capacity: 256) { events in
            // A signal ends the wait early, which the caller takes for no event.
            let count = weir_epoll_wait(
                descriptor, events.baseAddress, Int32(events.count), timeout ?? -1)
            for index in 0..<max(0, Int(count)) {
                let flags = events[index].flags
                body(
                    ReadinessEvent(
                        token: events[index].token,
                        isReadable: flags & UInt32(WEIR_READABLE) != 0,
                        isWritable: flags & UInt32(WEIR_WRITABLE) != 0,
                        peerClosed: flags & UInt32(WEIR_PEER_CLOSED) != 0,
                        hungUp: flags & UInt32(WEIR_HANG_UP) != 0))
            }
        }
    }
}

/// Wakes the event thread from any other: an eventfd.
struct WakeUp: ~Copyable {
    let descriptor: Int32

    init() throws(LocalServer.StartError) {
        descriptor = weir_eventfd()
        guard descriptor >= 0 else { throw .init(step: "make an eventfd", errno: errno) }
    }

    deinit { _ = close(descriptor) }

    borrowing func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    borrowing func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
#endif
