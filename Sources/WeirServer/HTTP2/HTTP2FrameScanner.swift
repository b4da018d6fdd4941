/// Finds frames in what arrives, in any split, so that each can be judged before nghttp2 sees it.
///
/// nghttp2 tells nothing of frames that it skips, which may be just those that a client should not send.
struct HTTP2FrameScanner {
    private static var headSize: Int { 9 }

    /// Bytes of the preface that are to come.
    private var preface = 24
    private var head: [UInt8] = []
    /// Bytes of the payload that are to come.
    private var payload = 0

    /// Takes what belongs together from the input, from `position` on: at most one frame, which is told of once its head is
    /// complete.
    mutating func next(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> HTTP2Frame? {
        if preface > 0 {
            let count = min(preface, input.count - position)
            preface -= count
            position += count
            return nil
        }
        var frame: HTTP2Frame?
        if payload == 0 {
            let count = min(Self.headSize - head.count, input.count - position)
            head.append(contentsOf: input[position..<(position + count)])
            position += count
            guard head.count == Self.headSize else { return nil }
            payload = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let stream = UInt32(head[5] & 0x7F) << 24 | UInt32(head[6]) << 16 | UInt32(head[7]) << 8 | UInt32(head[8])
            frame = HTTP2Frame(type: head[3], flags: head[4], stream: Int32(stream), length: payload)
            head.removeAll(keepingCapacity: true)
        }
        let count = min(payload, input.count - position)
        payload -= count
        position += count
        return frame
    }
}
