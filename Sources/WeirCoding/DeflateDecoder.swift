/// A decoder that passes over bytes after the end of its data.
protocol TrailingBytesIgnoring: AnyObject {
    var ignoredTrailingBytes: Int64 { get }
}

/// Reads gzip members in a row (RFC 1952, section 2.2).
final class GzipDecoder: StreamDecoding, TrailingBytesIgnoring {
    private enum State {
        /// Inside a member; the first one begins here.
        case member
        /// After a member.
        case between
        /// After a member and the first byte of a further one, or of something else.
        case betweenAfterFirstByte
        /// After bytes that are no member.
        case ignoring
    }

    /// The two bytes with which every member begins.
    private static let magic: [UInt8] = [0x1F, 0x8B]

    private let inflater: ZlibInflater
    private var state = State.member
    private(set) var ignoredTrailingBytes: Int64 = 0

    init() throws(StreamFailure) {
        inflater = try ZlibInflater(.gzip)
    }

    var isAtEnd: Bool {
        switch state {
        case .member: false
        case .between, .betweenAfterFirstByte, .ignoring: true
        }
    }

    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int) {
        switch state {
        case .member:
            let step = try inflater.step(input, into: output)
            if step.outcome == .end { state = .between }
            return (step.consumed, step.produced)
        case .between:
            guard let first = input.first else { return (0, 0) }
            ignoredTrailingBytes = 1
            state = first == Self.magic[0] ? .betweenAfterFirstByte : .ignoring
            return (1, 0)
        case .betweenAfterFirstByte:
            guard let second = input.first else { return (0, 0) }
            guard second == Self.magic[1] else {
                ignoredTrailingBytes += 1
                state = .ignoring
                return (1, 0)
            }
            ignoredTrailingBytes = 0
            state = .member
            try inflater.reset(.gzip)
            try inflater.feed(Self.magic)
            return (1, 0)
        case .ignoring:
            ignoredTrailingBytes += Int64(input.count)
            return (input.count, 0)
        }
    }
}

/// Reads the coding `deflate`, in the zlib container, as the standard has it, or without one (RFC 9110, section 8.4.1.2).
final class DeflateDecoder: StreamDecoding, TrailingBytesIgnoring {
    private enum State {
        case start
        case afterFirstByte(UInt8)
        case data
        case ignoring
    }

    private let inflater: ZlibInflater
    private var state = State.start
    private(set) var ignoredTrailingBytes: Int64 = 0

    init() throws(StreamFailure) {
        inflater = try ZlibInflater(.zlib)
    }

    var isAtEnd: Bool {
        if case .ignoring = state { true } else { false }
    }

    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int) {
        switch state {
        case .start:
            guard let first = input.first else { return (0, 0) }
            state = .afterFirstByte(first)
            return (1, 0)
        case .afterFirstByte(let first):
            guard let second = input.first else { return (0, 0) }
            state = .data
            if !Self.isZlibHeader(first, second) { try inflater.reset(.raw) }
            // Bare data may end with their second byte, so the end may come here.
            if try inflater.feed([first, second]) == .end { state = .ignoring }
            return (1, 0)
        case .data:
            let step = try inflater.step(input, into: output)
            if step.outcome == .end { state = .ignoring }
            return (step.consumed, step.produced)
        case .ignoring:
            ignoredTrailingBytes += Int64(input.count)
            return (input.count, 0)
        }
    }

    /// Whether two bytes are a zlib header (RFC 1950, section 2.2).
    ///
    /// Bare data never look like one unless their encoder sets padding bits that every known encoder leaves clear: a low
    /// nibble of 8 would be the beginning of a stored block.
    private static func isZlibHeader(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 0x0F == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
    }
}

extension ZlibInflater {
    /// Takes the first bytes of a stream, which make no output.
    @discardableResult
    fileprivate func feed(_ bytes: [UInt8]) throws(StreamFailure) -> Outcome {
        var result: Result<Outcome, StreamFailure> = .success(.more)
        bytes.withUnsafeBytes { input in
            do throws(StreamFailure) {
                let step = try step(input, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
                guard step.consumed == input.count else { throw .library(reason: "it refused the first bytes") }
                result = .success(step.outcome)
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}
