import Testing
import WeirStreams
import WeirTestSupport

/// All that a parser says of a stream.
struct Transcript<Message: Sendable & Equatable>: Equatable, Sendable {
    enum Item: Equatable, Sendable {
        case message(Message)
        case error(StreamError)
        /// What the end found beyond messages: how many bytes were dropped.
        case discarded(Int)
    }

    var items: [Item] = []

    var messages: [Message] {
        items.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    var errors: [StreamError] {
        items.compactMap { if case .error(let error) = $0 { error } else { nil } }
    }

    init(_ items: [Item]) { self.items = items }

    /// Feeds pieces, each in memory of exactly its size, and the end.
    init<Parser: StreamParser>(_ parser: Parser, _ pieces: [ArraySlice<UInt8>]) where Parser.Message == Message {
        var parser = parser
        self.init(&parser, pieces)
    }

    init<Parser: StreamParser>(_ parser: inout Parser, _ pieces: [ArraySlice<UInt8>]) where Parser.Message == Message {
        for piece in pieces {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
            memory.copyBytes(from: piece)
            parser.feed(UnsafeRawBufferPointer(memory)) {
                items.append(.message(Parser.copy($0)))
            } onError: {
                items.append(.error($0))
            }
            memory.deallocate()
        }
        do {
            switch try parser.finish() {
            case .complete: break
            case .message(let message): items.append(.message(Parser.copy(message)))
            case .discarded(let count): items.append(.discarded(count))
            }
        } catch {
            items.append(.error(error))
        }
    }
}

/// What a parser says of a stream, having made sure that every split says the same: all of two and, if the stream is short, of
/// three pieces, one byte at a time, and random ones.
func transcript<Parser: StreamParser>(
    _ parser: Parser, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
) -> Transcript<Parser.Message> where Parser.Message: Equatable {
    let whole = Transcript(parser, [bytes[...]])
    func check(_ pieces: [ArraySlice<UInt8>]) -> Bool {
        let split = Transcript(parser, pieces)
        if split == whole { return true }
        Issue.record(
            "split into \(pieces.map(Array.init)): \(split.items) instead of \(whole.items)",
            sourceLocation: sourceLocation)
        return false
    }
    guard check(bytes.indices.map { bytes[$0...$0] }) else { return whole }
    // Of long streams, every seventh.
    let step = bytes.count < 300 ? 1 : 7
    for first in stride(from: 0, through: bytes.count, by: step) {
        guard check([bytes[..<first], bytes[first...]]) else { return whole }
        guard bytes.count <= 32 else { continue }
        for second in first...bytes.count {
            guard check([bytes[..<first], bytes[first..<second], bytes[second...]]) else { return whole }
        }
    }
    var random = SeededNumbers(seed: UInt64(bytes.count))
    for _ in 0..<8 {
        guard check(random.split(bytes)) else { return whole }
    }
    return whole
}

func transcript<Parser: StreamParser>(
    _ parser: Parser, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
) -> Transcript<Parser.Message> where Parser.Message: Equatable {
    transcript(parser, Array(text.utf8), sourceLocation: sourceLocation)
}

extension SeededNumbers {
    /// Pieces of random sizes, some empty.
    mutating func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        let most = Int.random(in: 1...max(1, bytes.count), using: &self)
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...most, using: &self))
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

extension StaticString {
    var bytes: [UInt8] { Array(UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)) }
}

extension [[UInt8]] {
    var texts: [String] { map { String(decoding: $0, as: UTF8.self) } }
}
