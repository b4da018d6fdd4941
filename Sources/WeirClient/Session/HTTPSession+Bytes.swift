import Synchronization

extension HTTPSession {
    /// A response's body while it arrives: a sequence of bytes, or of chunks, that can be read once.
    ///
    /// At most 256 KiB of it are in memory; a consumer that stops reading stops the transfer. Leaving the loop, dropping the
    /// sequence, cancelling the Swift task or ``task`` ends the transfer at once. The record of the task is delivered
    /// before the last call of `next` returns.
    ///
    /// Reading throws `URLError`, and ``AlreadyRead`` when another iterator was made before.
    public struct Bytes: AsyncSequence, Sendable {
        /// A byte.
        public typealias Element = UInt8
        /// Any error; `URLError` in practice.
        public typealias Failure = any Error

        private let stream: ByteStream

        init(_ source: any ByteSource) { stream = ByteStream(source) }

        /// The task that brings the bytes.
        public var task: StreamTask { StreamTask(source: stream.source) }

        /// The same bytes in the pieces in which they arrive; it counts as the one reading.
        public var chunks: Chunks { Chunks(stream: stream) }

        /// Begins the one reading.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream.makeReader()) }

        /// The body was read, or is being read, by another iterator.
        public struct AlreadyRead: Error, Sendable, Hashable, CustomStringConvertible {
            /// A sentence for a person.
            public var description: String {
                "The body of a response can be read once, and another iterator has begun."
            }
        }
    }

    /// The task behind a stream.
    public struct StreamTask: Sendable {
        /// How far a task is.
        public enum State: Sendable, Hashable {
            /// The body arrives, or waits to be read.
            case running
            /// It was cancelled and is not over yet.
            case canceling
            /// It is over.
            case completed
        }

        let source: any ByteSource

        /// The identifier that the task's record will have; nil if it has none of its own.
        package var id: UInt64? { source.taskID }

        /// How far the task is.
        public var state: State { source.state }

        /// Ends the task: the reader gets `URLError.cancelled`.
        public func cancel() { source.cancel() }
    }
}

extension HTTPSession.Bytes {
    /// Reads the bytes of a chunk in memory, without a call for each of them.
    @frozen public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline var chunk: [UInt8] = []
        @usableFromInline var position = 0
        @usableFromInline let reader: ByteReader

        init(_ reader: ByteReader) { self.reader = reader }

        /// The next byte, or nil at the end.
        ///
        /// On an actor, `while let byte = try await iterator.next()` costs a fraction of a `for` loop, for which the language
        /// goes through ``next(isolation:)``.
        @inlinable public nonisolated(nonsending) mutating func next() async throws -> UInt8? {
            if position < chunk.count {
                let byte = chunk[position]
                position &+= 1
                return byte
            }
            return try await refill()
        }

        /// The next byte, or nil at the end.
        @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            if position < chunk.count {
                let byte = chunk[position]
                position &+= 1
                return byte
            }
            return try await refill()
        }

        @inline(never) @usableFromInline
        nonisolated(nonsending) mutating func refill() async throws -> UInt8? {
            chunk = []
            position = 0
            guard let next = try await reader.next(), let first = next.first else { return nil }
            chunk = next
            position = 1
            return first
        }
    }

    /// A response's body in the pieces in which it arrives.
    public struct Chunks: AsyncSequence, Sendable {
        /// A piece: never empty, at most 64 KiB.
        public typealias Element = [UInt8]
        /// Any error; `URLError` in practice.
        public typealias Failure = any Error

        let stream: ByteStream

        /// Begins the one reading.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: stream.makeReader()) }

        /// Reads pieces.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let reader: ByteReader

            /// The next piece, or nil at the end.
            public nonisolated(nonsending) mutating func next() async throws -> [UInt8]? { try await reader.next() }

            /// The next piece, or nil at the end.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
                try await reader.next()
            }
        }
    }
}

/// Where a stream's bytes come from: one platform's transport.
///
/// `next` is called by one reader at a time, and not after `abandon`.
protocol ByteSource: AnyObject, Sendable {
    /// The identifier of the task's record; nil if it has none of its own.
    var taskID: UInt64? { get }
    var state: HTTPSession.StreamTask.State { get }
    /// The next bytes, not none; nil at the end, the record having been delivered.
    nonisolated(nonsending) func next() async throws -> [UInt8]?
    func cancel()
    /// Nobody will read any more: end the transfer and deliver the record.
    func abandon()
}

/// The sequence's part of a stream: gives out the one reader, and ends a stream that was never read.
final class ByteStream: Sendable {
    let source: any ByteSource
    private let isTaken = Atomic(false)

    init(_ source: any ByteSource) { self.source = source }

    deinit { if !isTaken.load(ordering: .acquiring) { source.abandon() } }

    func makeReader() -> ByteReader {
        let isFirst = isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
            .exchanged
        return ByteReader(isFirst ? source : nil)
    }
}

/// The iterator's part of a stream: it ends when the iterator goes away.
@usableFromInline
final class ByteReader {
    private let source: (any ByteSource)?

    init(_ source: (any ByteSource)?) { self.source = source }

    deinit { source?.abandon() }

    @usableFromInline
    nonisolated(nonsending) func next() async throws -> [UInt8]? {
        guard let source else { throw HTTPSession.Bytes.AlreadyRead() }
        return try await source.next()
    }
}
