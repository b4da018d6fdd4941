#if os(Linux)
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A fault of the server, and the errors in which it may end.
struct Fault: Sendable {
    let path: String
    let codes: Set<URLError.Code>
    /// Whether only the client's patience ends it.
    let isSilence: Bool

    init(_ path: String, _ codes: URLError.Code..., isSilence: Bool = false) {
        self.path = path
        self.codes = Set(codes)
        self.isSilence = isSilence
    }

    /// Over HTTP/1.1.
    static let all: [Fault] = [
        Fault("reset", .networkConnectionLost),
        Fault("reset-in-head", .networkConnectionLost),
        Fault("reset-in-body", .networkConnectionLost),
        Fault("close", .networkConnectionLost),
        Fault("close-in-head", .networkConnectionLost),
        Fault("close-in-body", .networkConnectionLost),
        Fault("close-in-chunks", .networkConnectionLost),
        Fault("stall", .timedOut, isSilence: true),
        Fault("stall-in-head", .timedOut, isSilence: true),
        Fault("stall-in-body", .timedOut, isSilence: true),
        Fault("garbage", .badServerResponse),
        Fault("endless-garbage", .badServerResponse),
        Fault("other-protocol", .badServerResponse),
        Fault("endless-line", .badServerResponse),
        Fault("endless-head", .badServerResponse),
        Fault("head-of-100MB", .badServerResponse),
        Fault("endless-interim", .badServerResponse),
        Fault("bad-chunk", .badServerResponse),
        // What comes is no byte of the body.
        Fault("endless-extension", .timedOut, .badServerResponse, isSilence: true),
        Fault("endless-trailers", .badServerResponse),
        Fault("redirect-to-itself", .httpTooManyRedirects),
        Fault("redirect-for-ever", .httpTooManyRedirects),
        Fault("redirect-with-endless-body", .httpTooManyRedirects),
        Fault("bomb/gzip", .dataLengthExceedsMaximum),
        Fault("bomb/deflate", .dataLengthExceedsMaximum),
        Fault("bomb/gzip,gzip", .dataLengthExceedsMaximum),
        Fault("bomb/br", .dataLengthExceedsMaximum),
        Fault("bomb/zstd", .dataLengthExceedsMaximum),
        Fault("broken-coding", .cannotDecodeContentData),
    ]

    /// Only where the body is held in memory.
    static let collected = Fault("endless-body", .dataLengthExceedsMaximum)

    /// Over HTTP/2, where one breaks what else is on the connection: one after the other.
    static let http2: [Fault] = [
        Fault("reset-stream", .networkConnectionLost),
        Fault("reset-stream-early", .networkConnectionLost),
        Fault("wrong-frames", .networkConnectionLost, .badServerResponse),
        Fault("go-away", .networkConnectionLost),
        Fault("close-in-body", .networkConnectionLost),
        Fault("stall-in-body", .timedOut, isSilence: true),
        Fault("redirect-for-ever", .httpTooManyRedirects),
        Fault("bomb/br", .dataLengthExceedsMaximum),
    ]
}
#endif
