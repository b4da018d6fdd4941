/// Why an exchange ended early, as far as we ended it ourselves.
enum TransferFailure: Sendable, Equatable {
    /// The Swift task was cancelled, or the consumer went away.
    case cancelled
    /// The session was invalidated.
    case invalidated
    /// The session's thread could not be started.
    case noThread
    /// A time limit passed.
    case timedOut(Limit, Duration)
    /// The body is larger than allowed.
    case bodyTooLarge(limit: Int64)
    /// The response's heads are larger than allowed.
    case headTooLarge
    /// The connection ended inside the response's head.
    case headCut
    /// The response's head contradicts itself about the body's size.
    case malformedHead
    /// The response's body has a transfer coding that was not asked for.
    case codedTransfer
    /// The server answered with this status although the request's body has no end.
    case answeredEarly(Int)
    /// The request's body could not be read.
    case sourceFailed(String)
    /// The request's body cannot be sent a second time.
    case sourceExhausted

    enum Limit: String {
        case request
        case betweenBytes
        case resource
    }
}
