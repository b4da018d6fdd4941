public import WeirStreams

// A response's body as messages: `bytes.jsonLines(as:)`, `bytes.serverSentEvents`, `bytes.lines()` and the rest of `StreamedBytes`.
extension HTTPSession.Bytes: StreamedBytes {
    /// The pieces in which the body arrives.
    public func pieces(endingWith mayComplete: @escaping @Sendable (UInt8) -> Bool) -> HTTPSession.Bytes.Chunks {
        chunks
    }

    // Foundation on Apple platforms has properties of these names on any sequence of bytes; these are the ones that count here.

    /// The Unicode scalars of the text, invalid UTF-8 replaced by U+FFFD.
    public var unicodeScalars: UnicodeScalarSequence<Chunks> { chunks.streamed.unicodeScalars }

    /// The characters of the text, as `String` has them whatever the pieces.
    public var characters: CharacterSequence<Chunks> { chunks.streamed.characters }

    /// The lines, ended by LF, CR LF or CR, empty ones included.
    public var lines: MessageSequence<Chunks, LineParser, String> { chunks.streamed.lines() }
}
