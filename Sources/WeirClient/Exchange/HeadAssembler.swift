import WeirModel

/// Gathers the lines of response heads: tells interim (1xx) from final, and heads from trailers.
///
/// It holds the bytes of one head only, the latest. No I/O; one instance serves one exchange after another.
struct HeadAssembler {
    /// What a line meant.
    enum Event: Equatable {
        /// Nothing to act on.
        case more
        /// The status line of the final response.
        case finalStatus
        /// The final head is complete.
        case complete
        /// The heads, or the trailers, are larger than ``maximumBytes`` together.
        case tooLarge
        /// The final head's Content-Length is not a number, or there are several that differ.
        case malformed
        /// The final head's Transfer-Encoding has another coding than chunked, which was not asked for.
        case coded
    }

    private enum State {
        case expectingStatus
        case insideInterim
        case insideFinal
        case complete
    }

    /// The most bytes of all heads of one response, and of its trailers.
    static let maximumBytes = 256 * 1024

    private var state = State.expectingStatus
    /// The lines of the latest head, each with its line end.
    private(set) var bytes: [UInt8] = []
    /// The bytes of all heads so far, interim ones included.
    private(set) var byteCount = 0
    /// The bytes of the trailers so far.
    private var trailerByteCount = 0
    /// The status of the latest head, 0 when there was none.
    private(set) var status = 0
    /// Whether the latest head says where else to go.
    private(set) var hasLocation = false
    /// What the latest head says of the body's size.
    private var length: Int64?
    private var isLengthValid = true
    /// Whether the latest head has a transfer coding that is not undone.
    private var isCoded = false

    mutating func reset() {
        state = .expectingStatus
        bytes.removeAll(keepingCapacity: bytes.capacity <= 16 * 1024)
        byteCount = 0
        trailerByteCount = 0
        status = 0
        hasLocation = false
        length = nil
        isLengthValid = true
        isCoded = false
    }

    /// Takes one line, its line end included.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Event {
        if state == .complete {
            // Nobody wants a trailer, but a server could go on with them for ever.
            trailerByteCount += line.count
            return trailerByteCount > Self.maximumBytes ? .tooLarge : .more
        }
        byteCount += line.count
        if byteCount > Self.maximumBytes { return .tooLarge }
        if state == .expectingStatus {
            bytes.removeAll(keepingCapacity: true)
            hasLocation = false
            length = nil
            isLengthValid = true
            isCoded = false
            append(line)
            status = Self.status(ofLine: line)
            state = (100..<200).contains(status) ? .insideInterim : .insideFinal
            return state == .insideFinal ? .finalStatus : .more
        }
        append(line)
        // The end of the head is an empty line.
        guard let first = line.first, first == 0x0D || first == 0x0A else {
            note(line)
            return .more
        }
        if state == .insideInterim {
            state = .expectingStatus
            return .more
        }
        state = .complete
        return !isLengthValid ? .malformed : isCoded ? .coded : .complete
    }

    private mutating func append(_ line: UnsafeRawBufferPointer) {
        line.withMemoryRebound(to: UInt8.self) { bytes.append(contentsOf: $0) }
    }

    /// Looks at the fields on which it depends what becomes of the body.
    private mutating func note(_ line: UnsafeRawBufferPointer) {
        switch line[0] | 0x20 {
        case UInt8(ascii: "c"):
            if let value = Self.value(of: "content-length", in: line) { noteLength(value) }
        case UInt8(ascii: "l"):
            if let value = Self.value(of: "location", in: line) {
                hasLocation = hasLocation || value.contains { $0 > 0x20 }
            }
        case UInt8(ascii: "t"):
            if let value = Self.value(of: "transfer-encoding", in: line) { noteCodings(value) }
        default: break
        }
    }

    /// No client may be sent what it did not ask for (RFC 9112, section 7.4), and chunked is all that is undone here.
    private mutating func noteCodings(_ value: Slice<UnsafeRawBufferPointer>) {
        for part in value.split(separator: 0x2C) {
            let word = part.drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 != 0x3B }
            let isKnown =
                word.isEmpty || word.elementsEqual("chunked".utf8, by: asciiCaseInsensitiveEqual)
                || word.elementsEqual("identity".utf8, by: asciiCaseInsensitiveEqual)
            if !isKnown { isCoded = true }
        }
    }

    /// The size is told in digits only and once, or in several fields that agree (RFC 9112, section 6.3).
    ///
    /// libcurl takes `12abc` for 12, and of several fields the last.
    private mutating func noteLength(_ value: Slice<UnsafeRawBufferPointer>) {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var rest = value
        while true {
            rest = rest.drop(while: isSpace)
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard (1...18).contains(digits.count) else { break }
            let number = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
            if let length, length != number { break }
            length = number
            rest = rest[digits.endIndex...].drop(while: isSpace)
            guard let next = rest.first, next != 0x0D, next != 0x0A else { return }
            guard next == 0x2C else { break }
            rest = rest.dropFirst()
        }
        isLengthValid = false
    }

    /// What follows the colon of a line that begins with that name, in lower case.
    private static func value(of name: StaticString, in line: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>?
    {
        let length = name.utf8CodeUnitCount
        guard line.count > length, line[length] == 0x3A else { return nil }
        for index in 0..<length where line[index] | 0x20 != name.utf8Start[index] { return nil }
        return line[(length + 1)...]
    }

    /// The three digits after the first space of `HTTP/1.1 200 OK`, or 0.
    private static func status(ofLine line: UnsafeRawBufferPointer) -> Int {
        guard let space = line.firstIndex(of: 0x20), line.count >= space + 4 else { return 0 }
        var value = 0
        for byte in line[(space + 1)..<(space + 4)] {
            guard (0x30...0x39).contains(byte) else { return 0 }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}
