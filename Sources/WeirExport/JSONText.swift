/// Writes JSON (RFC 8259) on one line.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ body: (inout JSONText) -> Void) {
        begin(UInt8(ascii: "{"))
        body(&self)
        end(UInt8(ascii: "}"))
    }

    mutating func array<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONText, Element) -> Void) {
        begin(UInt8(ascii: "["))
        for element in elements { body(&self, element) }
        end(UInt8(ascii: "]"))
    }

    mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func member(_ name: String, _ text: String) {
        key(name)
        string(text)
    }

    /// A number of up to 32 bits, or one that is no integer.
    mutating func member(_ name: String, _ number: Int) {
        key(name)
        raw(String(number))
    }

    mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        raw(flag ? "true" : "false")
    }

    mutating func member(_ name: String, _ number: Double) {
        key(name)
        double(number)
    }

    /// A number of 64 bits, which JSON of protobuf writes as a string.
    mutating func member(_ name: String, long number: UInt64) {
        key(name)
        long(number)
    }

    mutating func long(_ number: UInt64) { string(String(number)) }

    /// JSON of protobuf has words for what is not finite.
    mutating func double(_ number: Double) {
        if number.isFinite {
            raw(number.description)
        } else {
            string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
        }
    }

    mutating func string(_ text: String) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20, 0x7F:
                bytes += Array("\\u00".utf8)
                for digit in [byte >> 4, byte & 0xF] { bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Text that was written apart: a whole value.
    mutating func raw(_ text: some Collection<UInt8>) {
        comma()
        bytes += text
        needsComma = true
    }

    private mutating func raw(_ text: String) { raw(text.utf8) }

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
        needsComma = false
    }
}
