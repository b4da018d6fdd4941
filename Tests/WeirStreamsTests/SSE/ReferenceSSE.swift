import WeirStreams

/// The standard's algorithm, word by word and slowly, over a whole stream.
enum ReferenceSSE {
    static func events(_ bytes: [UInt8]) -> [ServerSentEvent] {
        // "Streams must be decoded using the UTF-8 decode algorithm", which strips one leading byte order mark.
        var scalars = decode(bytes)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var events: [ServerSentEvent] = []
        var data = ""
        var type = ""
        var idBuffer = ""
        for line in lines(scalars) {
            if line.isEmpty {
                let lastEventID = idBuffer
                if data.isEmpty {
                    type = ""
                    continue
                }
                data.unicodeScalars.removeLast()
                events.append(
                    ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, lastEventID: lastEventID))
                data = ""
                type = ""
                continue
            }
            if line[0] == ":" { continue }
            var field = line
            var value: [Unicode.Scalar] = []
            if let colon = line.firstIndex(of: ":") {
                field = Array(line[..<colon])
                value = Array(line[(colon + 1)...])
                if value.first == " " { value.removeFirst() }
            }
            switch string(field) {
            case "event": type = string(value)
            case "data": data += string(value) + "\n"
            case "id": if !value.contains("\0") { idBuffer = string(value) }
            default: break
            }
        }
        return events
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var string = String.UnicodeScalarView()
        string.append(contentsOf: scalars)
        return String(string)
    }

    /// Lines that are ended; what follows the last end is none.
    private static func lines(_ scalars: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        var lines: [[Unicode.Scalar]] = []
        var line: [Unicode.Scalar] = []
        var position = 0
        while position < scalars.count {
            let scalar = scalars[position]
            position += 1
            guard scalar == "\n" || scalar == "\r" else {
                line.append(scalar)
                continue
            }
            if scalar == "\r", position < scalars.count, scalars[position] == "\n" { position += 1 }
            lines.append(line)
            line = []
        }
        return lines
    }

    /// The UTF-8 decoder of the Encoding Standard, section 8.1.1.
    static func decode(_ bytes: [UInt8]) -> [Unicode.Scalar] {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        var scalars: [Unicode.Scalar] = []
        var code: UInt32 = 0
        var seen = 0
        var needed = 0
        var lower: UInt8 = 0x80
        var upper: UInt8 = 0xBF
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if needed == 0 {
                switch byte {
                case 0x00...0x7F: scalars.append(Unicode.Scalar(byte))
                case 0xC2...0xDF: (needed, code) = (1, UInt32(byte & 0x1F))
                case 0xE0...0xEF:
                    if byte == 0xE0 { lower = 0xA0 }
                    if byte == 0xED { upper = 0x9F }
                    (needed, code) = (2, UInt32(byte & 0xF))
                case 0xF0...0xF4:
                    if byte == 0xF0 { lower = 0x90 }
                    if byte == 0xF4 { upper = 0x8F }
                    (needed, code) = (3, UInt32(byte & 0x7))
                default: scalars.append(replacement)
                }
                continue
            }
            if byte < lower || byte > upper {
                (code, needed, seen, lower, upper) = (0, 0, 0, 0x80, 0xBF)
                position -= 1
                scalars.append(replacement)
                continue
            }
            (lower, upper) = (0x80, 0xBF)
            code = code << 6 | UInt32(byte & 0x3F)
            seen += 1
            if seen == needed {
                scalars.append(Unicode.Scalar(code) ?? replacement)
                (code, needed, seen) = (0, 0, 0)
            }
        }
        if needed != 0 { scalars.append(replacement) }
        return scalars
    }
}
