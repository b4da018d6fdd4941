/// The latest streams that were reset, a bounded number of them.
struct ResetStreams {
    private static var limit: Int { 1024 }

    private var streams: Set<Int32> = []
    private var order: [Int32] = []
    /// Of streams up to this one, some are forgotten.
    private var forgotten: Int32 = 0

    mutating func insert(_ stream: Int32) {
        guard streams.insert(stream).inserted else { return }
        order.append(stream)
        guard order.count > Self.limit else { return }
        // Half at a time, so that each costs little.
        for old in order.prefix(Self.limit / 2) {
            streams.remove(old)
            forgotten = max(forgotten, old)
        }
        order.removeFirst(Self.limit / 2)
    }

    /// Whether a stream is, or may be, one of them.
    func mayContain(_ stream: Int32) -> Bool { stream <= forgotten || streams.contains(stream) }
}
