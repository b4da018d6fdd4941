/// What the kernel reported about a descriptor.
struct ReadinessEvent {
    /// The token given at registration.
    var token: UInt64
    /// Bytes, a connection or the end of the stream can be read.
    var isReadable: Bool
    /// There is room to write.
    var isWritable: Bool
    /// The peer sends no more.
    var peerClosed: Bool
    /// The connection is gone in both directions.
    var hungUp: Bool
}

/// The kernel's readiness queue, edge-triggered: an event comes once for each change, so who is told must go on
/// until the call would block.
///
/// `EventQueue` is the implementation of the platform: epoll on Linux, kqueue on Apple platforms. Closing a descriptor
/// takes it out of the queue.
protocol ReadinessQueue: ~Copyable {
    /// Registers a descriptor for its lifetime.
    borrowing func add(_ descriptor: Int32, token: UInt64, writing: Bool) throws(LocalServer.StartError)
    /// Waits for events, at most for so many nanoseconds if there is a number, and calls `body` with each.
    borrowing func wait(_ timeout: Int64?, _ body: (ReadinessEvent) -> Void)
}
