extension StreamedBytes {
    /// The records of NDJSON, decoded; see ``JSONLinesParser``.
    ///
    /// - Parameters:
    ///   - type: What a record is.
    ///   - decoder: Makes it; a `JSONDecoder` does too, more slowly.
    ///   - limit: The most bytes of a record.
    /// - Returns: A sequence that throws ``StreamError`` and, for a record that does not decode, ``UndecodableMessage``.
    public func jsonLines<Value: Decodable & SendableMetatype>(
        as type: Value.Type, decoder: some JSONMessageDecoder = StreamingJSONDecoder(),
        limit: Int = StreamLimits.message
    ) -> MessageSequence<Pieces, JSONLinesParser, Value> {
        decoded(JSONLinesParser(limit: limit), decoder)
    }

    /// The texts of a JSON text sequence, decoded; see ``JSONSequenceParser``.
    ///
    /// - Parameters:
    ///   - type: What a text is.
    ///   - decoder: Makes it; a `JSONDecoder` does too, more slowly.
    ///   - limit: The most bytes of a text.
    /// - Returns: A sequence that throws ``StreamError`` and, for a text that does not decode, ``UndecodableMessage``.
    public func jsonSequence<Value: Decodable & SendableMetatype>(
        as type: Value.Type, decoder: some JSONMessageDecoder = StreamingJSONDecoder(),
        limit: Int = StreamLimits.message
    ) -> MessageSequence<Pieces, JSONSequenceParser, Value> {
        decoded(JSONSequenceParser(limit: limit), decoder)
    }

    /// The elements of a JSON array, decoded while the document arrives; see ``JSONArrayParser``.
    ///
    /// - Parameters:
    ///   - type: What an element is.
    ///   - pointer: Where in the document the array is; the document itself unless said otherwise.
    ///   - decoder: Makes elements; a `JSONDecoder` does too, more slowly.
    ///   - limit: The most bytes of an element.
    /// - Returns: A sequence that throws ``StreamError`` and, for an element that does not decode, ``UndecodableMessage``.
    public func jsonElements<Value: Decodable & SendableMetatype>(
        as type: Value.Type, at pointer: JSONPointer = .root, decoder: some JSONMessageDecoder = StreamingJSONDecoder(),
        limit: Int = StreamLimits.message
    ) -> MessageSequence<Pieces, JSONArrayParser, Value> {
        decoded(JSONArrayParser(at: pointer, limit: limit), decoder)
    }

    private func decoded<Parser: JSONTextParser, Value: Decodable & SendableMetatype>(
        _ parser: Parser, _ decoder: some JSONMessageDecoder
    ) -> MessageSequence<Pieces, Parser, Value> {
        MessageSequence(pieces(endingWith: Parser.mayComplete), parser) { text, parser in
            do {
                return try decoder.decode(Value.self, message: text)
            } catch {
                // A text that is cut and one that is wrong are told apart only when it matters.
                if JSONExtent.progress(of: text) == .open,
                    text.first.map({ $0 == 0x7B || $0 == 0x5B || $0 == 0x22 }) == true
                {
                    throw StreamError(.incomplete, offset: parser.messageOffset)
                }
                throw UndecodableMessage(
                    offset: parser.messageOffset, beginning: UnsafeRawBufferPointer(rebasing: text.prefix(200)).text,
                    reason: error)
            }
        }
    }
}

/// A parser of which the messages are JSON texts.
protocol JSONTextParser: StreamParser where Borrowed == UnsafeRawBufferPointer {
    var messageOffset: Int { get }
}

extension JSONLinesParser: JSONTextParser {}
extension JSONSequenceParser: JSONTextParser {}
extension JSONArrayParser: JSONTextParser {}
