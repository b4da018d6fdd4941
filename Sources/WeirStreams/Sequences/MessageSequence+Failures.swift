extension MessageSequence {
    /// Each message or what is wrong with it; only an error of the stream itself is thrown.
    @inlinable public var results: Results { Results(base: self) }

    /// The messages without those that fail; only an error of the stream itself is thrown.
    ///
    /// - Parameter onFailure: Gets each failure, to be counted or written down.
    @inlinable public func skippingFailures(_ onFailure: @escaping @Sendable (any Error) -> Void) -> SkippingFailures {
        SkippingFailures(base: self, onFailure: onFailure)
    }

    /// Each message or what is wrong with it.
    @frozen public struct Results: AsyncSequence {
        /// A message, or why it could not be had.
        public typealias Element = Result<MessageSequence.Element, any Error>
        /// Any error of the stream.
        public typealias Failure = any Error

        @usableFromInline let base: MessageSequence

        @inlinable init(base: MessageSequence) { self.base = base }

        /// Begins to read the stream.
        @inlinable public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }

        /// Reads messages.
        @frozen public struct AsyncIterator: AsyncIteratorProtocol {
            @usableFromInline var base: MessageSequence.AsyncIterator

            @inlinable init(base: MessageSequence.AsyncIterator) { self.base = base }

            /// The next message or what is wrong with it; nil at the end.
            @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
                try await base.nextResult(isolation: actor)
            }

            /// The next message or what is wrong with it; nil at the end.
            @inlinable public nonisolated(nonsending) mutating func next() async throws -> Element? {
                try await base.nextResult(isolation: #isolation)
            }
        }
    }

    /// The messages without those that fail.
    @frozen public struct SkippingFailures: AsyncSequence {
        /// A message.
        public typealias Element = MessageSequence.Element
        /// Any error of the stream.
        public typealias Failure = any Error

        @usableFromInline let base: MessageSequence
        @usableFromInline let onFailure: @Sendable (any Error) -> Void

        @inlinable init(base: MessageSequence, onFailure: @escaping @Sendable (any Error) -> Void) {
            self.base = base
            self.onFailure = onFailure
        }

        /// Begins to read the stream.
        @inlinable public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(base: base.makeAsyncIterator(), onFailure: onFailure)
        }

        /// Reads messages.
        @frozen public struct AsyncIterator: AsyncIteratorProtocol {
            @usableFromInline var base: MessageSequence.AsyncIterator
            @usableFromInline let onFailure: @Sendable (any Error) -> Void

            @inlinable init(base: MessageSequence.AsyncIterator, onFailure: @escaping @Sendable (any Error) -> Void) {
                self.base = base
                self.onFailure = onFailure
            }

            /// The next message, or nil at the end.
            @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
                while let result = try await base.nextResult(isolation: actor) {
                    switch result {
                    case .success(let message): return message
                    case .failure(let error): onFailure(error)
                    }
                }
                return nil
            }

            /// The next message, or nil at the end.
            @inlinable public nonisolated(nonsending) mutating func next() async throws -> Element? {
                try await next(isolation: #isolation)
            }
        }
    }
}

extension MessageSequence.Results: Sendable where Pieces: Sendable {}
extension MessageSequence.SkippingFailures: Sendable where Pieces: Sendable {}

/// A message that is there, and of which its decoder can make nothing.
public struct UndecodableMessage: Error, Sendable, CustomStringConvertible {
    /// Where the message begins, in bytes from the stream's beginning.
    public let offset: Int
    /// The beginning of the message, at most 200 bytes of it.
    public let beginning: String
    /// Why it could not be decoded; a `DecodingError` where the decoder is Foundation's.
    public let reason: any Error

    /// A sentence for a person.
    public var description: String {
        "The message at byte \(offset) could not be decoded: \(reason) It begins: \(beginning)"
    }
}
