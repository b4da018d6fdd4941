#if canImport(Darwin)
import Darwin

/// kqueue, and the one place that calls it.
struct EventQueue: ReadinessQueue, ~Copyable {
    private let descriptor: Int32

    init() throws(LocalServer.StartError) {
        descriptor = kqueue()
        guard descriptor >= 0 else { throw .init(step: "make a kqueue", errno: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { _ = close(descriptor) }

    borrowing func add(_ descriptor: Int32, token: UInt64, writing: Bool) throws(LocalServer.StartError) {
        let filters = writing ? [EVFILT_READ, EVFILT_WRITE] : [EVFILT_READ]
        for filter in filters {
            var change = kevent64_s()
            change.ident = UInt64(descriptor)
            change.filter = Int16(filter)
            change.flags = UInt16(EV_ADD | EV_CLEAR)
            change.udata = token
            guard kevent64(self.descriptor, &change, 1, nil, 0, 0, nil) == 0 else {
                throw .init(step: "register a descriptor", errno: errno)
            }
        }
    }

    borrowing func wait(_ timeout: Int64?, _ body: (ReadinessEvent) -> Void) {
        withUnsafeTemporaryAllocation(of: kevent64_s.self, capacity: 256) { events in
            var count: Int32
            if let nanoseconds = timeout {
                var limit = timespec(
                    tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
                count = kevent64(descriptor, nil, 0, events.baseAddress, Int32(events.count), 0, &limit)
            } else {
                count = kevent64(descriptor, nil, 0, events.baseAddress, Int32(events.count), 0, nil)
            }
            count = max(0, count)
            for index in 0..<Int(count) {
                let event = events[index]
                let ended = event.flags & UInt16(EV_EOF) != 0
                let isRead = event.filter == Int16(EVFILT_READ)
                body(
                    ReadinessEvent(
                        token: event.udata, isReadable: isRead, isWritable: !isRead,
                        // The write side ends when the peer has reset or closed both ways.
                        peerClosed: ended && isRead, hungUp: ended && !isRead))
            }
        }
    }
}

/// Wakes the event thread from any other: a pipe.
struct WakeUp: ~Copyable {
    let descriptor: Int32
    private let writeEnd: Int32

    init() throws(LocalServer.StartError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .init(step: "make a pipe", errno: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        descriptor = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        _ = close(descriptor)
        _ = close(writeEnd)
    }

    borrowing func signal() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    borrowing func clear() {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }
}
#endif
