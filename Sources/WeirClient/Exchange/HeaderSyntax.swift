import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The syntax of methods and header fields (RFC 9110, section 5), checked so that a value cannot add a line.
enum HeaderSyntax {
    /// Whether text is a token: a method or a field's name.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
                default: false
                }
            }
    }

    /// The place of the first byte that a value may not have: a control character other than tab.
    static func firstInvalidByte(ofValue value: String) -> Int? {
        for (offset, byte) in value.utf8.enumerated() where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
            return offset
        }
        return nil
    }

    static func check(name: String, value: String, url: URL?) throws {
        guard isToken(name) else {
            throw URLError(
                .badURL, sentence: "The header field name \(name.debugDescription) is not a token.", url: url)
        }
        if let offset = firstInvalidByte(ofValue: value) {
            throw URLError(
                .badURL,
                sentence: "The value of the header field \(name) has a control character at byte \(offset).", url: url)
        }
    }

    /// A decimal number of digits only, or nil.
    static func number(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
