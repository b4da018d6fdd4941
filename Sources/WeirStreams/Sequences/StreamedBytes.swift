/// Bytes that arrive over time and can be read as messages: `bytes.serverSentEvents`, `bytes.jsonLines(as: Hit.self)`.
///
/// A response's body is one; any asynchronous sequence of bytes or of pieces becomes one by its `streamed`.
public protocol StreamedBytes {
    /// The pieces in which the bytes come.
    associatedtype Pieces: AsyncSequence where Pieces.Element: Sequence, Pieces.Element.Element == UInt8

    /// The bytes in pieces, none of which waits longer than a message in it.
    ///
    /// - Parameter mayComplete: Whether a message may be complete with a byte. Bytes that come one by one are gathered up to
    ///   such a one; pieces are taken as they come.
    func pieces(endingWith mayComplete: @escaping @Sendable (UInt8) -> Bool) -> Pieces
}

/// Any asynchronous sequence of pieces, such as an `AsyncStream` of `Data`, to be read as messages.
public struct StreamedPieces<Pieces: AsyncSequence>: StreamedBytes
where Pieces.Element: Sequence, Pieces.Element.Element == UInt8 {
    private let base: Pieces

    init(_ base: Pieces) { self.base = base }

    /// The pieces as they come.
    public func pieces(endingWith mayComplete: @escaping @Sendable (UInt8) -> Bool) -> Pieces { base }
}

extension StreamedPieces: Sendable where Pieces: Sendable {}

extension AsyncSequence where Element: Sequence, Element.Element == UInt8 {
    /// The pieces as a stream of messages: `stream.streamed.serverSentEvents`.
    public var streamed: StreamedPieces<Self> { StreamedPieces(self) }
}

extension AsyncSequence where Element == UInt8 {
    /// The bytes as a stream of messages: `bytes.streamed.serverSentEvents`.
    ///
    /// Bytes are asked for one by one; a sequence that has pieces is faster by its pieces.
    public var streamed: GatheredBytes<Self> { GatheredBytes(self) }
}

/// Any asynchronous sequence of bytes, to be read as messages.
public struct GatheredBytes<Base: AsyncSequence>: StreamedBytes where Base.Element == UInt8 {
    /// The most bytes that are gathered.
    private static var most: Int { 4096 }

    private let base: Base

    init(_ base: Base) { self.base = base }

    /// The bytes, gathered up to one that may complete a message.
    public func pieces(endingWith mayComplete: @escaping @Sendable (UInt8) -> Bool) -> Pieces {
        Pieces(base: base, mayComplete: mayComplete)
    }

    /// Bytes that were gathered.
    public struct Pieces: AsyncSequence {
        /// Some bytes, not none.
        public typealias Element = [UInt8]
        /// Any error of the base.
        public typealias Failure = any Error

        let base: Base
        let mayComplete: @Sendable (UInt8) -> Bool

        /// Begins to read the base.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(base: base.makeAsyncIterator(), mayComplete: mayComplete)
        }

        /// Gathers bytes.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var base: Base.AsyncIterator
            let mayComplete: @Sendable (UInt8) -> Bool
            var failure: (any Error)?

            /// The next bytes, or nil at the end.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
                if let failure { throw failure }
                var piece: [UInt8] = []
                do {
                    while piece.count < GatheredBytes.most, let byte = try await base.next(isolation: actor) {
                        piece.append(byte)
                        if mayComplete(byte) { break }
                    }
                } catch {
                    // What came before the error is still given.
                    failure = error
                    if piece.isEmpty { throw error }
                }
                return piece.isEmpty ? nil : piece
            }

            /// The next bytes, or nil at the end.
            public nonisolated(nonsending) mutating func next() async throws -> [UInt8]? {
                try await next(isolation: #isolation)
            }
        }
    }
}

extension GatheredBytes: Sendable where Base: Sendable {}
extension GatheredBytes.Pieces: Sendable where Base: Sendable {}
