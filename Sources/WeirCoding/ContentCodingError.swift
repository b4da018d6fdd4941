/// Why a body could not be encoded or decoded.
///
/// Offsets count bytes of the coded input from its beginning. They point to where the library noticed, which is at the
/// damage or shortly after it, and for checksums and for zstd may lie a block away from it.
package enum ContentCodingError: Error, Hashable, Sendable {
    /// The data contradict the format, or their checksum does.
    case corrupt(ContentCoding, offset: Int64, reason: String)
    /// The input ended before the data did; the offset is the number of bytes that came.
    case incomplete(ContentCoding, offset: Int64)
    /// There are further bytes after the end of the data.
    case trailingData(ContentCoding, offset: Int64)
    /// The decoded data are larger than allowed.
    case limitExceeded(ContentCoding, offset: Int64, limit: Int64)
    /// The data ask for more memory to decode than HTTP allows (zstd: 8 MB, RFC 9659); sizes in bytes.
    case windowTooLarge(ContentCoding, offset: Int64, window: UInt64, limit: UInt64)
    /// The level is outside of the coding's range.
    case levelOutOfRange(ContentCoding, level: Int)
    /// The encoder was given bytes after it had been finished.
    case alreadyFinished(ContentCoding)
    /// The library could not get memory, or failed for another reason that is not the data's.
    case libraryFailed(ContentCoding, reason: String)
    /// This platform has no library for the coding.
    case unsupported(ContentCoding)
}

extension ContentCodingError: CustomStringConvertible {
    /// A sentence that says what is wrong and where.
    package var description: String {
        switch self {
        case .corrupt(let coding, let offset, let reason):
            "The \(coding.rawValue) data are corrupt near byte \(offset): \(reason)."
        case .incomplete(let coding, let offset):
            "The \(coding.rawValue) data end too early, after \(offset) bytes."
        case .trailingData(let coding, let offset):
            "The \(coding.rawValue) data end at byte \(offset), but more bytes follow."
        case .limitExceeded(let coding, let offset, let limit):
            "The \(coding.rawValue) data decode to more than the limit of \(limit) bytes, near byte \(offset)."
        case .windowTooLarge(let coding, let offset, let window, let limit):
            "The \(coding.rawValue) data at byte \(offset) need a window of \(window) bytes; HTTP allows \(limit)."
        case .levelOutOfRange(let coding, let level):
            "Level \(level) is outside of \(coding.rawValue)'s range \(coding.levels.lowerBound) to \(coding.levels.upperBound)."
        case .alreadyFinished(let coding):
            "The \(coding.rawValue) encoder had been finished and cannot take more bytes."
        case .libraryFailed(let coding, let reason):
            "The \(coding.rawValue) library failed: \(reason)."
        case .unsupported(let coding):
            "This platform has no library for the content coding \(coding.rawValue)."
        }
    }
}
