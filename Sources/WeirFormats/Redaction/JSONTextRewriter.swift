import WeirEvidence
import WeirModel

/// Replaces the strings and numbers of JSON by pseudonyms, byte by byte in place: brackets, names, white space and the
/// length of everything stay.
///
/// It is no validator: whatever is not JSON passes through its rules for strings and numbers. One text or several.
struct JSONTextRewriter {
    /// For each open array or object, whether it is an object.
    private var isObject: [Bool] = []
    private var expectsKey = false

    /// The text with pseudonyms.
    mutating func rewrite(_ bytes: [UInt8], with pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var i = 0
        while i < bytes.count {
            let byte = bytes[i]
            switch byte {
            case UInt8(ascii: "\""):
                let end = Self.endOfString(bytes, from: i + 1)
                let isKey = expectsKey && isObject.last == true
                result.append(byte)
                result += JSONStringCoding.rewritten(bytes[(i + 1)..<end]) { text in
                    isKey ? pseudonyms.shownName(text) : pseudonyms.pseudonym(of: text)
                }
                i = end
                if i < bytes.count {
                    result.append(bytes[i])
                    i += 1
                }
                expectsKey = false
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                // What is nested beyond all reason needs no names.
                if isObject.count < 4096 { isObject.append(byte == UInt8(ascii: "{")) }
                expectsKey = byte == UInt8(ascii: "{")
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = isObject.popLast()
                expectsKey = false
            case UInt8(ascii: ","): expectsKey = isObject.last == true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let end = bytes[i...].firstIndex { $0 &- 0x30 >= 10 } ?? bytes.count
                // An exponent stays: another may be out of range.
                let isExponent = Self.isExponent(bytes, before: i)
                result += isExponent ? Array(bytes[i..<end]) : pseudonyms.pseudonym(of: bytes[i..<end])
                i = end
                continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
                let end = bytes[i...].firstIndex { !ValuePseudonyms.isToken($0) } ?? bytes.count
                let word = bytes[i..<end]
                let isLiteral = ["true", "false", "null", "e", "E", "NaN", "Infinity"].contains {
                    word.elementsEqual($0.utf8)
                }
                // 1e5: the letter and the digits after it.
                let isPower = word.first.map { $0 | 0x20 } == UInt8(ascii: "e") && i > 0 && bytes[i - 1] &- 0x30 < 10
                result += isLiteral || isPower ? Array(word) : pseudonyms.pseudonym(of: word)
                i = end
                continue
            default: break
            }
            result.append(byte)
            i += 1
        }
        return result
    }

    private static func isExponent(_ bytes: [UInt8], before i: Int) -> Bool {
        guard i >= 2 else { return false }
        let isSigned = bytes[i - 1] == UInt8(ascii: "-") || bytes[i - 1] == UInt8(ascii: "+")
        return isSigned && bytes[i - 2] | 0x20 == UInt8(ascii: "e") && i >= 3 && bytes[i - 3] &- 0x30 < 10
    }

    /// The place of the quote that ends a string, or the end of the text.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var i = start
        while i < bytes.count, bytes[i] != UInt8(ascii: "\"") {
            i += bytes[i] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(i, bytes.count)
    }
}

/// The text between a JSON string's quotes: decoded, changed, and written the same way again.
enum JSONStringCoding {
    /// The text with another content of the same length, each character escaped as it was.
    ///
    /// - Parameter change: Gets the bytes that the text stands for, and gives as many.
    static func rewritten(_ text: ArraySlice<UInt8>, _ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
        guard text.contains(UInt8(ascii: "\\")) else { return change(Array(text)) }
        var decoded: [UInt8] = []
        /// Where an escape stands: in the text, and its bytes in what it stands for.
        var escapes: [(text: Range<Int>, bytes: Range<Int>)] = []
        let all = Array(text)
        var i = 0
        while i < all.count {
            guard all[i] == UInt8(ascii: "\\"), i + 1 < all.count else {
                decoded.append(all[i])
                i += 1
                continue
            }
            let start = decoded.count
            guard let length = append(escape: all, at: i, to: &decoded) else {
                // No escape of JSON: a backslash like any other mark.
                decoded.append(all[i])
                i += 1
                continue
            }
            escapes.append((i..<(i + length), start..<decoded.count))
            i += length
        }
        let changed = change(decoded)
        guard changed.count == decoded.count else { return all }
        var result: [UInt8] = []
        var place = 0
        for escape in escapes {
            result += changed[place..<escape.bytes.lowerBound]
            let bytes = changed[escape.bytes]
            if bytes == decoded[escape.bytes] {
                result += all[escape.text]
            } else {
                for unit in String(decoding: bytes, as: UTF8.self).utf16 {
                    let digits = String(unit, radix: 16)
                    result += Array(("\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits).utf8)
                }
            }
            place = escape.bytes.upperBound
        }
        return result + changed[place...]
    }

    /// Adds what an escape stands for, and returns its length; nil for what is none.
    private static func append(escape text: [UInt8], at i: Int, to result: inout [UInt8]) -> Int? {
        switch text[i + 1] {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "u"):
            let (unit, low) = text.withUnsafeBytes { bytes in
                (
                    JSONString.codeUnit(in: bytes, at: i + 2, end: bytes.count),
                    JSONString.lowSurrogate(in: bytes, at: i + 6, end: bytes.count)
                )
            }
            guard let unit else { return nil }
            if unit & 0xFC00 == 0xD800, let low {
                let scalar = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF))
                result += Unicode.Scalar(scalar).map { Array(String($0).utf8) } ?? [0x3F]
                return 12
            }
            // Half of a pair stands for nothing; it stays as it is.
            result += Unicode.Scalar(UInt32(unit)).map { Array(String($0).utf8) } ?? [0x3F]
            return 6
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(text[i + 1])
        default: return nil
        }
        return 2
    }
}
