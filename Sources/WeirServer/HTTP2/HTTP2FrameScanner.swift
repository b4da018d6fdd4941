/// Finds frames in what arrives, in any split, so that each can be judged before nghttp2 sees it.
///
/// nghttp2 tells nothing of frames that it skips, which may be just those that a client should not send. It counts CONTINUATIONs by
/// the pieces in which they come, so that it gets each of them whole; so it does with WINDOW_UPDATE, which is looked at first.
struct HTTP2FrameScanner {
    /// What belongs together.
    struct Piece: Equatable {
        /// The frame whose head is complete now.
        var frame: HTTP2Frame?
        /// What came in earlier inputs and had to wait; it goes before the range.
        var held: [UInt8] = []
        /// Where in the input the rest is.
        var range: Range<Int>
    }

    private static var headSize: Int { 9 }

    /// How long a CONTINUATION may be to be held: a longer one is an error, whatever is in it.
    private let holdLimit: Int
    /// Bytes of the preface that are to come.
    private var preface = 24
    /// What is here of a frame's head if that is not all, and of a frame that is held.
    private var held: [UInt8] = []
    /// Whether the frame whose payload is to come is held.
    private var isHeld = false
    /// Bytes of the payload that are to come.
    private var payload = 0

    init(frameSize: Int) {
        holdLimit = frameSize
    }

    /// Takes what belongs together from the input, from `position` on: at most one frame.
    mutating func next(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Piece {
        var start = position
        if preface > 0 {
            let count = min(preface, input.count - position)
            preface -= count
            position += count
            return Piece(range: start..<position)
        }
        var frame: HTTP2Frame?
        if payload == 0 {
            let count = min(Self.headSize - held.count, input.count - position)
            position += count
            if count < Self.headSize {
                held.append(contentsOf: input[start..<position])
                start = position
                guard held.count == Self.headSize else { return Piece(range: start..<start) }
                frame = held.withUnsafeBytes { read($0[...]) }
            } else {
                frame = read(input[start..<position])
            }
        }
        let count = min(payload, input.count - position)
        payload -= count
        position += count
        if isHeld {
            held.append(contentsOf: input[start..<position])
            start = position
            guard payload == 0 else { return Piece(frame: frame, range: start..<start) }
        }
        isHeld = false
        let before = held
        held = []
        return Piece(frame: frame, held: before, range: start..<position)
    }

    /// Reads nine bytes (RFC 9113, section 4.1).
    private mutating func read(_ head: Slice<UnsafeRawBufferPointer>) -> HTTP2Frame {
        func byte(_ offset: Int) -> UInt32 { UInt32(head[head.startIndex + offset]) }
        payload = Int(byte(0) << 16 | byte(1) << 8 | byte(2))
        let stream = (byte(5) & 0x7F) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8)
        let frame = HTTP2Frame(type: UInt8(byte(3)), flags: UInt8(byte(4)), stream: Int32(stream), length: payload)
        isHeld =
            (frame.type == HTTP2Frame.continuation && payload <= holdLimit)
            || (frame.type == HTTP2Frame.windowUpdate && payload == 4)
        return frame
    }
}
