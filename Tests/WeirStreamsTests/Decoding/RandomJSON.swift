import WeirTestSupport

// Random JSON, and random damage to it.
extension SeededNumbers {
    mutating func json(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return ["null", "true", "false"].randomElement(using: &self) ?? "null"
        case 1, 2: return jsonNumber()
        case 3, 4: return jsonString()
        case 5:
            let elements = (0..<Int.random(in: 0...4, using: &self)).map { _ in
                jsonSpace() + json(depth: depth - 1) + jsonSpace()
            }
            return "[" + elements.joined(separator: ",") + "]"
        default:
            let members = (0..<Int.random(in: 0...5, using: &self)).map { _ in
                jsonSpace() + jsonString() + jsonSpace() + ":" + jsonSpace() + json(depth: depth - 1) + jsonSpace()
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    mutating func jsonNumber() -> String {
        var text = Bool.random(using: &self) ? "" : "-"
        text += "\(UInt64.random(in: 0 ... .max, using: &self) >> UInt64.random(in: 0...63, using: &self))"
        if Int.random(in: 0..<3, using: &self) == 0 {
            text += ".\(UInt64.random(in: 0 ... .max, using: &self) >> UInt64.random(in: 0...63, using: &self))"
        }
        if Int.random(in: 0..<4, using: &self) == 0 {
            text += ["e", "E", "e+", "e-", "E-"].randomElement(using: &self) ?? "e"
            text += "\(Int.random(in: 0...(Bool.random(using: &self) ? 30 : 340), using: &self))"
        }
        return text
    }

    private mutating func jsonString() -> String {
        let parts = [
            "a", "key", "id", "x", " ", "é", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "{", "]",
            ",", ":",
            "abcdefghijklmnop", "\u{2028}", "e\u{301}",
        ]
        return "\""
            + (0..<Int.random(in: 0...5, using: &self)).map { _ in parts.randomElement(using: &self) ?? "" }.joined()
            + "\""
    }

    private mutating func jsonSpace() -> String { ["", "", "", " ", "\n", "\t\r"].randomElement(using: &self) ?? "" }

    mutating func damage(_ bytes: inout [UInt8]) {
        let tokens = [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".", "e", "1", "null", "true", "\\u", "\\ud800", "\0",
            "\u{1F}", "é",
            " ", "\n",
        ]
        let place = Int.random(in: 0...bytes.count, using: &self)
        switch Int.random(in: 0..<5, using: &self) {
        case 0 where !bytes.isEmpty:
            bytes[min(place, bytes.count - 1)] = UInt8.random(in: 0...255, using: &self)
        case 1: bytes.insert(contentsOf: Array((tokens.randomElement(using: &self) ?? "").utf8), at: place)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...5, using: &self)))
        case 3: bytes = Array(bytes.prefix(place))
        default:
            let other = Int.random(in: 0...bytes.count, using: &self)
            bytes.insert(
                contentsOf: bytes[min(place, other)..<min(max(place, other), min(place, other) + 20)], at: place)
        }
    }
}
