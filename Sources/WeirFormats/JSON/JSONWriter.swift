/// Writes JSON text (RFC 8259) on one line, a value at a time, without building a tree of it.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a comma is due before the next value or key.
    fileprivate var needsComma = false

    /// Takes what was written and leaves nothing.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Adds text that is no value: line breaks.
    mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Adds text that was written apart.
    mutating func append(_ text: [UInt8]) { bytes.append(contentsOf: text) }

    mutating func beginObject() { begin(UInt8(ascii: "{")) }
    mutating func endObject() { end(UInt8(ascii: "}")) }
    mutating func beginArray() { begin(UInt8(ascii: "[")) }
    mutating func endArray() { end(UInt8(ascii: "]")) }

    /// The name of a member; its value follows.
    mutating func key(_ name: StaticString) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        raw(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func value(_ text: some StringProtocol) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw(#"\""#)
            case UInt8(ascii: "\\"): raw(#"\\"#)
            case 0x0A: raw(#"\n"#)
            case 0x0D: raw(#"\r"#)
            case 0x09: raw(#"\t"#)
            case 0..<0x20, 0x7F:
                raw(#"\u00"#)
                for digit in [byte >> 4, byte & 0xF] { bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    mutating func value(_ number: some BinaryInteger) { scalar(String(number)) }

    /// A number in its shortest form, which reads back as the same; what is not finite is written as null.
    mutating func value(_ number: Double) {
        if let whole = Int64(exactly: number), abs(number) < 1e15 {
            scalar(String(whole))
        } else {
            scalar(number.isFinite ? number.description : "null")
        }
    }

    mutating func value(_ flag: Bool) { scalar(flag ? "true" : "false") }

    // MARK: Members

    mutating func member(_ name: StaticString, _ text: (some StringProtocol)?) {
        guard let text else { return }
        key(name)
        value(text)
    }

    mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        key(name)
        value(number)
    }

    mutating func member(_ name: StaticString, _ number: Double?) {
        guard let number else { return }
        key(name)
        value(number)
    }

    mutating func member(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        key(name)
        value(flag)
    }

    private mutating func scalar(_ text: String) {
        comma()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func begin(_ byte: UInt8) {
        comma()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}

extension JSONWriter {
    /// Forgets that a value was written: commas between what follows are the caller's.
    mutating func restart() { needsComma = false }

    /// Ends a line: what follows is a text of its own.
    mutating func endLine() {
        bytes.append(0x0A)
        needsComma = false
    }
}
