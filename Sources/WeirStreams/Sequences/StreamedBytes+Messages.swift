extension StreamedBytes {
    /// The messages that a parser of any kind makes of the bytes.
    ///
    /// - Parameter parser: The parser, at a stream's beginning.
    @inlinable public func messages<Parser: StreamParser>(
        _ parser: Parser
    ) -> MessageSequence<Pieces, Parser, Parser.Message> {
        MessageSequence(pieces(endingWith: Parser.mayComplete), parser) { message, _ in Parser.copy(message) }
    }

    /// The lines, ended by LF, CR LF or CR; see ``LineParser``.
    ///
    /// - Parameters:
    ///   - keepingEmpty: Whether empty lines are given too.
    ///   - limit: The most bytes of a line.
    @inlinable public func lines(
        keepingEmpty: Bool = true, limit: Int = StreamLimits.message
    ) -> MessageSequence<Pieces, LineParser, String> {
        messages(LineParser(keepingEmpty: keepingEmpty, limit: limit))
    }

    /// The server-sent events, by the standard to the letter; see ``SSEParser``.
    @inlinable public var serverSentEvents: MessageSequence<Pieces, SSEParser, ServerSentEvent> {
        messages(SSEParser())
    }

    /// The server-sent events, with options.
    @inlinable public func serverSentEvents(
        _ options: SSEParser.Options
    ) -> MessageSequence<Pieces, SSEParser, ServerSentEvent> {
        messages(SSEParser(options))
    }

    /// The text as it comes, in pieces that end where a scalar ends; see ``TextParser``.
    @inlinable public var text: MessageSequence<Pieces, TextParser, String> { messages(TextParser()) }
}
