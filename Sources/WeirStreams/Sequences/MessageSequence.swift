/// The messages of a stream, parsed while it arrives.
///
/// It pulls pieces, never single bytes, and no piece before the messages of the one before were taken; so a consumer that is slow
/// slows the stream down. What fails is thrown: an error of the stream itself ends the sequence, and what came of an
/// unfinished message is dropped. After an error of one message the iterator can be asked for the next one; `results` and
/// `skippingFailures` do so in a `for` loop.
@frozen public struct MessageSequence<Pieces: AsyncSequence, Parser: StreamParser, Element>: AsyncSequence
where Pieces.Element: Sequence, Pieces.Element.Element == UInt8 {
    /// Any error.
    ///
    /// It is what the stream throws, ``StreamError``, or ``UndecodableMessage``.
    public typealias Failure = any Error

    /// Makes an element of a message in place, with the parser to be asked about it.
    ///
    /// The parser is passed to be changed although it is not: what is only lent to a closure of a generic type is copied for it, which
    /// costs as much as a message.
    @usableFromInline typealias Transform = @Sendable (Parser.Borrowed, inout Parser) throws -> Element

    @usableFromInline let pieces: Pieces
    @usableFromInline let parser: Parser
    @usableFromInline let transform: Transform

    @inlinable init(_ pieces: Pieces, _ parser: Parser, _ transform: @escaping Transform) {
        self.pieces = pieces
        self.parser = parser
        self.transform = transform
    }

    /// Begins to read the stream.
    @inlinable public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: pieces.makeAsyncIterator(), parser: parser, transform: transform)
    }

    /// Reads messages.
    @frozen public struct AsyncIterator: AsyncIteratorProtocol {
        /// Nil when the stream is over, so that its end is told where it comes from.
        @usableFromInline var pieces: Pieces.AsyncIterator?
        @usableFromInline var parser: Parser
        @usableFromInline let transform: Transform
        @usableFromInline var piece: [UInt8] = []
        @usableFromInline var position = 0

        @inlinable init(pieces: Pieces.AsyncIterator, parser: Parser, transform: @escaping Transform) {
            self.pieces = pieces
            self.parser = parser
            self.transform = transform
        }

        /// The next message, or nil at the end.
        @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            // What is there needs no second asynchronous call.
            if pieces != nil, position < piece.count, let result = parse() { return try result.get() }
            return try await nextResult(isolation: actor)?.get()
        }

        /// The next message, or nil at the end.
        @inlinable public nonisolated(nonsending) mutating func next() async throws -> Element? {
            if pieces != nil, position < piece.count, let result = parse() { return try result.get() }
            return try await nextResult(isolation: #isolation)?.get()
        }

        /// The next message or what is wrong with it; nil at the end.
        ///
        /// - Throws: What the stream throws.
        @inlinable mutating func nextResult(isolation actor: isolated (any Actor)?) async throws -> Result<
            Element, any Error
        >? {
            while pieces != nil {
                if position < piece.count, let result = parse() { return result }
                if parser.hasEnded {
                    pieces = nil
                    return nil
                }
                do {
                    if let next = try await pieces?.next(isolation: actor) {
                        piece = Array(next)
                        position = 0
                        continue
                    }
                } catch {
                    pieces = nil
                    piece = []
                    throw error
                }
                pieces = nil
                piece = []
                return finish()
            }
            return nil
        }

        /// Takes the next message of the piece at hand.
        @inlinable mutating func parse() -> Result<Element, any Error>? {
            let count = piece.count
            return piece.withUnsafeBytes { bytes in
                var input = UnsafeRawBufferPointer(
                    start: bytes.baseAddress.map { $0 + position }, count: count &- position)
                defer { position = count &- input.count }
                do {
                    guard let message = try parser.next(&input) else { return nil }
                    return .success(try transform(message, &parser))
                } catch {
                    // Nothing more can come: let go of the stream.
                    if (error as? StreamError)?.isFatal == true { pieces = nil }
                    return .failure(error)
                }
            }
        }

        @inlinable mutating func finish() -> Result<Element, any Error>? {
            do {
                guard case .message(let message) = try parser.finish() else { return nil }
                return .success(try transform(message, &parser))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension MessageSequence: Sendable where Pieces: Sendable {}
