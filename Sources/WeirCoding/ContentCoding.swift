/// A content coding of HTTP: how a body is compressed on its way (RFC 9110, section 8.4.1).
package enum ContentCoding: String, CaseIterable, Sendable {
    /// The gzip file format (RFC 1952).
    case gzip
    /// The zlib format (RFC 1950); bare DEFLATE data (RFC 1951) is accepted too, since some servers send that.
    case deflate
    /// Brotli (RFC 7932).
    case br
    /// Zstandard (RFC 8878), with a window of at most 8 MB (RFC 9659).
    case zstd

    /// Reads a coding's name; case does not matter, and `x-gzip` is gzip (RFC 9110, section 8.4.1.3).
    package init?(token: String) {
        switch Self.lowercased(token.utf8) {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "br": self = .br
        case "zstd": self = .zstd
        default: return nil
        }
    }

    /// The codings whose library this platform has: all four, except on Apple's mobile platforms.
    package static let supported: [ContentCoding] = allCases.filter(\.isSupported)

    /// The value of Accept-Encoding that names every supported coding: `gzip, deflate, br, zstd`.
    package static let acceptEncoding: String = supported.map(\.rawValue).joined(separator: ", ")

    /// The levels that `encode` accepts, from fastest to smallest.
    package var levels: ClosedRange<Int> {
        switch self {
        case .gzip, .deflate: 0...9
        case .br: 0...11
        case .zstd: 1...22
        }
    }

    /// The level that is used when none is given: what servers use for answers compressed as they are sent.
    package var defaultLevel: Int {
        switch self {
        case .gzip, .deflate: 6
        case .br: 5
        case .zstd: 3
        }
    }

    private var isSupported: Bool {
        switch self {
        case .gzip, .deflate:
            return true
        case .br:
            #if canImport(CWeirBrotli)
            return true
            #else
            return false
            #endif
        case .zstd:
            #if canImport(CWeirZstd)
            return true
            #else
            return false
            #endif
        }
    }

    /// The text with its ASCII letters in lower case.
    static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension ContentCoding {
    /// Encodes a whole body.
    ///
    /// - Parameter level: within `levels`; nil for `defaultLevel`.
    package func encode(_ bytes: [UInt8], level: Int? = nil) throws(ContentCodingError) -> [UInt8] {
        let encoder = try ContentEncoder(self, level: level)
        var result: Result<[UInt8], ContentCodingError> = .success([])
        bytes.withUnsafeBytes { input in
            do throws(ContentCodingError) {
                result = .success(try encoder.encode(input, flush: .finish))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    /// Decodes a whole body.
    ///
    /// - Parameter limit: the largest size that the result may have, in bytes.
    package func decode(_ bytes: [UInt8], limit: Int) throws(ContentCodingError) -> [UInt8] {
        try ContentDecoder(self, outputLimit: Int64(limit)).decodeAll(bytes)
    }
}
