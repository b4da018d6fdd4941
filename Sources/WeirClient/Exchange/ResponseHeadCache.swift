import Foundation
import Synchronization
import WeirModel

/// Response heads that were seen before, byte for byte, for the same URL.
///
/// Making an `HTTPURLResponse` costs swift-corelibs-foundation 15 microseconds, most of a small exchange's time. Polls and
/// repeated requests get the same head again, and the object is immutable, so they can share it.
final class ResponseHeadCache: Sendable {
    private struct Entry: Sendable {
        var bytes: [UInt8]
        var urlText: String
        var head: ResponseHead
    }

    private static let slots = 16
    private static let largestHead = 2048

    private let entries = Lock([Entry?](repeating: nil, count: slots))

    /// The parsed head; nil when it cannot be one.
    func head(bytes: [UInt8], status: Int, url: URL, urlText: String) -> ResponseHead? {
        guard bytes.count <= Self.largestHead else { return ResponseHead(bytes: bytes, status: status, url: url) }
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(urlText)
        let slot = Int(UInt(bitPattern: hasher.finalize()) % UInt(Self.slots))
        let known = entries.withLock { $0[slot] }
        if let known, known.bytes == bytes, known.urlText == urlText { return known.head }
        guard let head = ResponseHead(bytes: bytes, status: status, url: url) else { return nil }
        // The copy is of the bytes alone: the handle's own buffer stays its own.
        let entry = Entry(bytes: Array(bytes), urlText: urlText, head: head)
        entries.withLock { $0[slot] = entry }
        return head
    }
}
