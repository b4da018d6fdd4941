import Foundation
import WeirModel

/// What a stored response is found by: the URL without fragment and without user name and password.
///
/// The method is not part of it: responses to GET alone are stored, and HEAD is answered from those.
struct CacheKey: Sendable, Hashable {
    let text: String
    /// The user name and password of the URL, which are credentials.
    let userInfo: String?

    init(_ urlText: String) {
        var bytes = Array(urlText.utf8)
        if let fragment = bytes.firstIndex(of: UInt8(ascii: "#")) { bytes.removeSubrange(fragment...) }
        var userInfo: String?
        // The scheme and the host are the same in any case (RFC 3986, section 6.2.2.1).
        if let scheme = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[scheme...].starts(with: "://".utf8) {
            let start = scheme + 3
            var end = bytes[start...].firstIndex { $0 == 0x2F || $0 == 0x3F } ?? bytes.endIndex
            if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) {
                userInfo = String(decoding: bytes[start..<at], as: UTF8.self)
                bytes.removeSubrange(start...at)
                end -= at - start + 1
            }
            for index in 0..<end where (0x41...0x5A).contains(bytes[index]) { bytes[index] |= 0x20 }
            let port = bytes[..<scheme].elementsEqual("https".utf8) ? ":443" : ":80"
            if bytes[start..<end].reversed().starts(with: port.utf8.reversed()) {
                bytes.removeSubrange((end - port.utf8.count)..<end)
                end -= port.utf8.count
            }
            if end == bytes.count || bytes[end] == 0x3F { bytes.insert(0x2F, at: end) }
        }
        text = String(decoding: bytes, as: UTF8.self)
        self.userInfo = userInfo
    }

    static func == (a: Self, b: Self) -> Bool { a.text == b.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Thirty-two hexadecimal digits for the names of files; that two keys share them does no harm.
    var fileName: String {
        Array(text.utf8).withUnsafeBytes { bytes in
            [UInt64(0), 1].map { Checksum.hexadecimal(Checksum.of(bytes, seed: $0)) }.joined()
        }
    }
}
