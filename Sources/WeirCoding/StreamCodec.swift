/// What a library's wrapper reports of one step; the decoder adds the coding and the offset from the beginning.
enum StreamFailure: Error {
    /// The data contradict the format; `consumed` bytes of this step's input had been taken.
    case corrupt(consumed: Int, reason: String)
    /// Bytes follow the end of the data; `consumed` bytes of this step's input had been taken.
    case trailingData(consumed: Int)
    /// The data ask for too large a window.
    case windowTooLarge(window: UInt64, limit: UInt64)
    /// Not the data's fault.
    case library(reason: String)
    /// This platform has no library.
    case unsupported

    func error(_ coding: ContentCoding, offset: Int64) -> ContentCodingError {
        switch self {
        case .corrupt(let consumed, let reason):
            .corrupt(coding, offset: offset + Int64(consumed), reason: reason)
        case .trailingData(let consumed):
            .trailingData(coding, offset: offset + Int64(consumed))
        case .windowTooLarge(let window, let limit):
            .windowTooLarge(coding, offset: offset, window: window, limit: limit)
        case .library(let reason):
            .libraryFailed(coding, reason: reason)
        case .unsupported:
            .unsupported(coding)
        }
    }
}

/// The decoding side of one library's stream.
///
/// A step takes what it can of the input and fills what it can of the output. When it returns with room left in the
/// output, and its input was all taken, there is nothing more to get until more input comes.
protocol StreamDecoding: AnyObject {
    /// Whether the data could end here.
    var isAtEnd: Bool { get }

    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int)
}

/// The encoding side of one library's stream.
protocol StreamEncoding: AnyObject {
    /// Takes what it can of the input and fills what it can of the output; `isDone` when the input is taken and all that
    /// `flush` asks for is written.
    func step(
        _ input: UnsafeRawBufferPointer, flush: ContentEncoder.Flush, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int, isDone: Bool)
}
