/// The chunked transfer coding (RFC 9112, section 7.1), fed in any split.
///
/// Chunk extensions are ignored; trailer fields are checked like header fields and dropped.
struct ChunkedDecoder {
    enum Event: Equatable {
        case needsMore
        /// The bytes of the input in that range are data.
        case data(Range<Int>)
        case end
        case failed(Rejection)
    }

    private enum State {
        case size(digits: Int, value: Int)
        /// Blanks after the size: an extension must follow.
        case blanks
        case `extension`
        case sizeLineFeed
        case data(remaining: Int)
        case dataCarriageReturn
        case dataLineFeed
        case trailers
        case end
    }

    /// The longest chunk-size line that is taken, its extensions included.
    private static let lineLimit = 4096

    private var state = State.size(digits: 0, value: 0)
    private var size = 0
    private var lineCount = 0
    private let trailerLimit: Int
    private var trailers: [UInt8] = []
    private var trailerLineStart = 0

    init(trailerLimit: Int) {
        self.trailerLimit = trailerLimit
    }

    mutating func next(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        while position < input.count {
            switch state {
            case .data(let remaining):
                let count = min(remaining, input.count - position)
                state = count == remaining ? .dataCarriageReturn : .data(remaining: remaining - count)
                defer { position += count }
                return .data(position..<(position + count))
            case .end: return .end
            case .trailers:
                if let event = takeTrailer(input[position]) {
                    position += 1
                    return event
                }
                position += 1
            case .size, .blanks, .extension, .sizeLineFeed, .dataCarriageReturn, .dataLineFeed:
                if let rejection = takeFraming(input[position]) { return .failed(rejection) }
                position += 1
            }
        }
        return .needsMore
    }

    private mutating func takeFraming(_ byte: UInt8) -> Rejection? {
        switch state {
        case .size(let digits, let value):
            if let digit = ASCII.hexValue(byte) {
                let (shifted, overflowed) = value.multipliedReportingOverflow(by: 16)
                if overflowed { return .bad("A chunk size does not fit 64 bits.") }
                state = .size(digits: digits + 1, value: shifted | Int(digit))
            } else {
                if digits == 0 { return .bad("A chunk does not begin with its size in hexadecimal digits.") }
                size = value
                return takeAfterSize(byte)
            }
        case .blanks:
            if !ASCII.isBlank(byte) {
                guard byte == UInt8(ascii: ";") else { return badSize }
                state = .extension
            }
        case .extension:
            if byte == ASCII.carriageReturn {
                state = .sizeLineFeed
            } else if !ASCII.isFieldValue(byte) {
                return .bad("A chunk extension has a control character in it.")
            }
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { return badSize }
            lineCount = 0
            state = size == 0 ? .trailers : .data(remaining: size)
            return nil
        case .dataCarriageReturn:
            guard byte == ASCII.carriageReturn else { return badEnd }
            state = .dataLineFeed
            return nil
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { return badEnd }
            state = .size(digits: 0, value: 0)
            return nil
        case .data, .trailers, .end: return nil
        }
        lineCount += 1
        return lineCount > Self.lineLimit ? .bad("A chunk-size line is longer than \(Self.lineLimit) bytes.") : nil
    }

    private mutating func takeAfterSize(_ byte: UInt8) -> Rejection? {
        switch byte {
        case ASCII.carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .extension
        case ASCII.space, ASCII.tab: state = .blanks
        default: return badSize
        }
        return nil
    }

    private mutating func takeTrailer(_ byte: UInt8) -> Event? {
        trailers.append(byte)
        guard trailers.count - 2 <= trailerLimit else {
            return .failed(
                Rejection(status: 431, reason: "The trailer fields are longer than the limit of \(trailerLimit) bytes.")
            )
        }
        guard byte == ASCII.lineFeed else { return nil }
        let end = trailers.count - 2
        guard end >= trailerLineStart, trailers[end] == ASCII.carriageReturn else {
            return .failed(.bad("A trailer line ends in a line feed without a carriage return before it."))
        }
        let line = trailerLineStart..<end
        trailerLineStart = trailers.count
        if line.isEmpty {
            state = .end
            return .end
        }
        let field = trailers.withUnsafeBufferPointer { FieldLine.parse($0, line) }
        if case .failure(let rejection) = field { return .failed(rejection) }
        return nil
    }

    private var badSize: Rejection { .bad("A chunk size is followed by something that is no extension.") }
    private var badEnd: Rejection { .bad("A chunk's data is not followed by a line end.") }
}
