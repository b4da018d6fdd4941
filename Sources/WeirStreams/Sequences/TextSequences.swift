extension StreamedBytes {
    /// The Unicode scalars of the text, invalid UTF-8 replaced by U+FFFD.
    @inlinable public var unicodeScalars: UnicodeScalarSequence<Pieces> { UnicodeScalarSequence(text: text) }

    /// The characters of the text, as `String` has them whatever the pieces: one that the next piece may go on with waits for it.
    @inlinable public var characters: CharacterSequence<Pieces> { CharacterSequence(text: text) }
}

/// The Unicode scalars of a stream of text.
@frozen public struct UnicodeScalarSequence<Pieces: AsyncSequence>: AsyncSequence
where Pieces.Element: Sequence, Pieces.Element.Element == UInt8 {
    /// A scalar.
    public typealias Element = Unicode.Scalar
    /// Any error of the stream.
    public typealias Failure = any Error

    @usableFromInline let text: MessageSequence<Pieces, TextParser, String>

    @inlinable init(text: MessageSequence<Pieces, TextParser, String>) { self.text = text }

    /// Begins to read the stream.
    @inlinable public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(text: text.makeAsyncIterator()) }

    /// Reads scalars.
    @frozen public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline var text: MessageSequence<Pieces, TextParser, String>.AsyncIterator
        @usableFromInline var scalars = "".unicodeScalars.makeIterator()

        @inlinable init(text: MessageSequence<Pieces, TextParser, String>.AsyncIterator) { self.text = text }

        /// The next scalar, or nil at the end.
        @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Unicode.Scalar? {
            while true {
                if let scalar = scalars.next() { return scalar }
                guard let piece = try await text.next(isolation: actor) else { return nil }
                scalars = piece.unicodeScalars.makeIterator()
            }
        }

        /// The next scalar, or nil at the end.
        @inlinable public nonisolated(nonsending) mutating func next() async throws -> Unicode.Scalar? {
            try await next(isolation: #isolation)
        }
    }
}

/// The characters of a stream of text.
@frozen public struct CharacterSequence<Pieces: AsyncSequence>: AsyncSequence
where Pieces.Element: Sequence, Pieces.Element.Element == UInt8 {
    /// A character: an extended grapheme cluster.
    public typealias Element = Character
    /// Any error of the stream.
    public typealias Failure = any Error

    @usableFromInline let text: MessageSequence<Pieces, TextParser, String>

    @inlinable init(text: MessageSequence<Pieces, TextParser, String>) { self.text = text }

    /// Begins to read the stream.
    @inlinable public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(text: text.makeAsyncIterator()) }

    /// Reads characters.
    @frozen public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline var text: MessageSequence<Pieces, TextParser, String>.AsyncIterator
        /// Text of which the last character may go on, unless the stream is over.
        @usableFromInline var pending = ""
        @usableFromInline var position = "".startIndex
        /// Where the last character begins, or the end when the stream is over.
        @usableFromInline var end = "".startIndex
        @usableFromInline var isOver = false

        @inlinable init(text: MessageSequence<Pieces, TextParser, String>.AsyncIterator) { self.text = text }

        /// The next character, or nil at the end.
        @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Character? {
            while position == end {
                if isOver { return nil }
                if let piece = try await text.next(isolation: actor) {
                    pending = pending[position...] + piece
                    position = pending.startIndex
                    end = pending.index(before: pending.endIndex)
                } else {
                    isOver = true
                    end = pending.endIndex
                }
            }
            let character = pending[position]
            pending.formIndex(after: &position)
            return character
        }

        /// The next character, or nil at the end.
        @inlinable public nonisolated(nonsending) mutating func next() async throws -> Character? {
            try await next(isolation: #isolation)
        }
    }
}

extension UnicodeScalarSequence: Sendable where Pieces: Sendable {}
extension CharacterSequence: Sendable where Pieces: Sendable {}
