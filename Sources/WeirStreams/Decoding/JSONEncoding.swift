import Foundation

/// The encoding of a JSON text, told from its first four bytes (RFC 4627, section 3), as `JSONDecoder` does it.
enum JSONEncoding {
    /// The encoding and the length of the byte order mark; nil when the bytes show nothing but UTF-8 without a mark.
    static func detect(_ text: UnsafeRawBufferPointer) -> (encoding: String.Encoding, mark: Int)? {
        let bytes = text.prefix(4)
        if let marked = marks.first(where: { bytes.starts(with: $0.bytes) }) {
            return (marked.encoding, marked.bytes.count)
        }
        // The first two characters are ASCII, so that it shows where their zero bytes are.
        switch bytes.map({ $0 != 0 }) {
        case [false, false, false, true]: return (.utf32BigEndian, 0)
        case [false, true, false, true], [false, true]: return (.utf16BigEndian, 0)
        case [true, false, false, false]: return (.utf32LittleEndian, 0)
        case [true, false, true, false], [true, false]: return (.utf16LittleEndian, 0)
        default: return nil
        }
    }

    /// The byte order marks, the longer ones first.
    ///
    /// What begins UTF-32 in little endian is not a mark of it to `JSONDecoder` either, which has FE FF 00 00.
    private static let marks: [(bytes: [UInt8], encoding: String.Encoding)] = [
        ([0x00, 0x00, 0xFE, 0xFF], .utf32BigEndian), ([0xFE, 0xFF, 0x00, 0x00], .utf32LittleEndian),
        ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian), ([0xEF, 0xBB, 0xBF], .utf8),
    ]
}
