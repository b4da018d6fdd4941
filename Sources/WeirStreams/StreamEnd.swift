/// What the end of a stream means for the bytes that had not become a message.
public enum StreamEnd<Borrowed> {
    /// There were none.
    case complete
    /// They are a message: the last one.
    case message(Borrowed)
    /// They are none and were dropped, as the format has it.
    ///
    /// - count: How many bytes; of a message that was too large, those that had not been reported.
    case discarded(count: Int)
}

extension StreamEnd: Sendable where Borrowed: Sendable {}
