public import WeirStreams

extension AsyncSequence where Element == ServerSentEvent {
    /// The events' data, decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: What the data of an event is.
    ///   - decoder: Makes it; a `JSONDecoder` does too, more slowly.
    /// - Returns: A sequence that throws what this one throws and, for data that does not decode, `DecodingError`; the next event
    ///   can then be asked for.
    public func decode<Value: Decodable>(
        as type: Value.Type, decoder: some JSONMessageDecoder = StreamingJSONDecoder()
    ) -> DecodedEvents<Self, Value> {
        DecodedEvents(base: self, decoder: decoder)
    }
}

/// The data of events, decoded from JSON.
public struct DecodedEvents<Base: AsyncSequence, Element: Decodable>: AsyncSequence
where Base.Element == ServerSentEvent {
    /// Any error.
    public typealias Failure = any Error

    let base: Base
    let decoder: any JSONMessageDecoder

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator(), decoder: decoder) }

    /// Reads values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let decoder: any JSONMessageDecoder

        /// The next value, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            guard let event = try await base.next(isolation: actor) else { return nil }
            var data = event.data
            return try data.withUTF8 { try decoder.decode(Element.self, message: UnsafeRawBufferPointer($0)) }
        }

        /// The next value, or nil at the end.
        public nonisolated(nonsending) mutating func next() async throws -> Element? {
            try await next(isolation: #isolation)
        }
    }
}

extension DecodedEvents: Sendable where Base: Sendable {}
