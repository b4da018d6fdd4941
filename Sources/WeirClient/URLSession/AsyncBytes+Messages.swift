#if canImport(Darwin)
public import Foundation
public import WeirStreams

extension URLSession.AsyncBytes: StreamedBytes {
    /// The bytes, gathered up to one that may complete a message.
    public func pieces(
        endingWith mayComplete: @escaping @Sendable (UInt8) -> Bool
    ) -> GatheredBytes<URLSession.AsyncBytes>.Pieces {
        streamed.pieces(endingWith: mayComplete)
    }
}
#endif
