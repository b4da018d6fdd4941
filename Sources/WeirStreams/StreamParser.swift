/// Turns the bytes of a stream into messages, whatever the pieces in which they come.
///
/// A parser is a plain value that does no input or output. Every split of the same bytes gives the same messages and the same
/// errors, down to one byte at a time; each byte is scanned once, and moved only when its message goes over the end
/// of a piece.
///
/// ```swift
/// var parser = JSONLinesParser()
/// while let chunk = read() {
///     parser.feed(chunk) { record in use(record) } onError: { error in log(error) }   // valid within the closure
/// }
/// if case .message(let last) = try parser.finish() { use(last) }
/// ```
public protocol StreamParser: Sendable {
    /// A message in place: its bytes are valid until the parser is called again or the piece goes away.
    associatedtype Borrowed
    /// A message of its own.
    associatedtype Message: Sendable

    /// Takes bytes from the front of the input until a message is complete.
    ///
    /// Call it again with what it leaves, until it returns nil; then with the next piece. After an error that is not
    /// ``StreamError/isFatal`` it goes on behind the bad message; after a fatal one it drops all that comes.
    ///
    /// - Parameter input: A piece of the stream; on return, what of it was not taken yet.
    /// - Returns: A message, or nil when the input is used up.
    /// - Throws: What is wrong with one message, once.
    mutating func next(_ input: inout UnsafeRawBufferPointer) throws(StreamError) -> Borrowed?

    /// Feeds bytes; each message, and each bad one, is handed over in order.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes.
    ///   - body: Gets the messages, whose bytes are valid within it. When it throws, the rest of the bytes is not fed.
    ///   - onError: Gets what is wrong with a message; the next one comes unless the error ``StreamError/isFatal``.
    mutating func feed(
        _ bytes: UnsafeRawBufferPointer, _ body: (Borrowed) throws -> Void, onError: (StreamError) throws -> Void
    ) rethrows

    /// Takes the end of the stream; the parser is then ready for another one.
    ///
    /// - Returns: What became of the bytes that were left.
    /// - Throws: What is wrong with them.
    mutating func finish() throws(StreamError) -> StreamEnd<Borrowed>

    /// Whether the stream has said that it ends here: what follows is dropped.
    var hasEnded: Bool { get }

    /// Whether a message may be complete with this byte; if not, there is no use in feeding it at once.
    static func mayComplete(_ byte: UInt8) -> Bool

    /// The message as a value of its own.
    static func copy(_ message: Borrowed) -> Message
}

extension StreamParser {
    /// Whether the stream has said that it ends here; a stream of this format never does.
    public var hasEnded: Bool { false }

    /// Hands over the next message, or the next bad one; false when more bytes are needed.
    @inlinable
    package mutating func deliverNext(
        from input: inout UnsafeRawBufferPointer, _ body: (Borrowed) throws -> Void,
        onError: (StreamError) throws -> Void
    ) rethrows -> Bool {
        let result: Result<Borrowed, StreamError>
        do throws(StreamError) {
            guard let message = try next(&input) else { return false }
            result = .success(message)
        } catch {
            result = .failure(error)
        }
        switch result {
        case .success(let message): try body(message)
        case .failure(let error): try onError(error)
        }
        return true
    }

    /// Feeds bytes; each message, and each bad one, is handed over in order.
    @inlinable
    public mutating func feed(
        _ bytes: UnsafeRawBufferPointer, _ body: (Borrowed) throws -> Void, onError: (StreamError) throws -> Void
    ) rethrows {
        var input = bytes
        while try deliverNext(from: &input, body, onError: onError) {}
    }

    /// Feeds bytes; each message, and each bad one, is handed over in order.
    @inlinable
    public mutating func feed(
        _ bytes: RawSpan, _ body: (Borrowed) throws -> Void, onError: (StreamError) throws -> Void
    ) rethrows {
        try bytes.withUnsafeBytes { try feed($0, body, onError: onError) }
    }

    /// Feeds bytes; each message, and each bad one, is handed over in order.
    @inlinable
    public mutating func feed(
        _ bytes: some Sequence<UInt8>, _ body: (Borrowed) throws -> Void, onError: (StreamError) throws -> Void
    ) rethrows {
        let isDone: Void? = try bytes.withContiguousStorageIfAvailable { buffer in
            try feed(UnsafeRawBufferPointer(buffer), body, onError: onError)
        }
        if isDone == nil { try Array(bytes).withUnsafeBytes { try feed($0, body, onError: onError) } }
    }

    /// Feeds bytes and gives the messages as values of their own.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: What became complete, in order; bad messages as errors.
    @inlinable
    public mutating func messages(from bytes: some Sequence<UInt8>) -> [Result<Message, StreamError>] {
        var messages: [Result<Message, StreamError>] = []
        feed(bytes) {
            messages.append(.success(Self.copy($0)))
        } onError: {
            messages.append(.failure($0))
        }
        return messages
    }

    /// Takes the end of the stream and gives the last message, if one was left, as a value of its own.
    @inlinable
    public mutating func lastMessage() throws(StreamError) -> Message? {
        if case .message(let message) = try finish() { Self.copy(message) } else { nil }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes as text, invalid UTF-8 replaced by U+FFFD as the Encoding Standard has it.
    @inlinable var text: String {
        String(decoding: bindMemory(to: UInt8.self), as: UTF8.self)
    }
}
