/// Writes messages as the parsers read them, for servers and for tests.
///
/// What is written is read back as the same messages.
public enum StreamWriter {
    /// An event as `text/event-stream`, with its blank line.
    ///
    /// Each line of the data becomes a `data` field; a reader joins them by LF, so that CR and CR LF in the data come back as LF.
    /// A type or an id with a line end in it, or an id with NUL, cannot be written and is left out; so is a type that is
    /// empty or `message`.
    ///
    /// - Parameters:
    ///   - data: The event's data; nil for a block that only sets the id or the reconnection time.
    ///   - type: The event's type.
    ///   - id: The event's id; empty to reset the reader's, nil to leave it.
    ///   - retry: The reconnection time in milliseconds, from 0.
    public static func event(
        data: String?, type: String? = nil, id: String? = nil, retry: Int? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        func field(_ name: String, _ value: some Sequence<UInt8>) {
            bytes += name.utf8
            bytes += ": ".utf8
            bytes += value
            bytes.append(0x0A)
        }
        if let type, !type.isEmpty, type != "message", !type.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            field("event", type.utf8)
        }
        if let id, !id.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) { field("id", id.utf8) }
        if let retry, retry >= 0 { field("retry", String(retry).utf8) }
        if let data {
            var line: [UInt8] = []
            var isAfterCR = false
            for byte in data.utf8 {
                if byte == 0x0A, isAfterCR {
                    isAfterCR = false
                    continue
                }
                isAfterCR = byte == 0x0D
                if byte == 0x0A || byte == 0x0D {
                    field("data", line)
                    line.removeAll(keepingCapacity: true)
                } else {
                    line.append(byte)
                }
            }
            field("data", line)
        }
        bytes.append(0x0A)
        return bytes
    }

    /// A comment, one line for each of its own; servers keep connections alive by them.
    public static func comment(_ text: String = "") -> [UInt8] {
        var bytes: [UInt8] = [0x3A]
        var isAfterCR = false
        for byte in text.utf8 {
            if byte == 0x0A || byte == 0x0D {
                if byte == 0x0D || !isAfterCR { bytes += [0x0A, 0x3A] }
            } else {
                if bytes.last == 0x3A { bytes.append(0x20) }
                bytes.append(byte)
            }
            isAfterCR = byte == 0x0D
        }
        bytes.append(0x0A)
        return bytes
    }

    /// A record of NDJSON: the text and LF.
    ///
    /// - Parameter text: A JSON text. Line ends between its tokens become spaces, since a record is one line; within strings JSON has
    ///   none.
    public static func jsonLine(_ text: some Sequence<UInt8>) -> [UInt8] {
        text.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } + [0x0A]
    }

    /// A text of a JSON text sequence: RS, the text, LF (RFC 7464, section 2.2).
    public static func jsonSequenceText(_ text: some Sequence<UInt8>) -> [UInt8] { [0x1E] + text + [0x0A] }
}
