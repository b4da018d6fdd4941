import Foundation
import Synchronization
import WeirEvidence
import WeirModel

/// Texts that were made of the same bytes before: names and values repeat from entry to entry.
///
/// Each text has one place, and another text may take it. Used by one thread at a time.
final class TextCache {
    private static let size = 1024
    /// Shorter texts need no memory of their own, longer ones seldom repeat.
    private static let lengths = 16...256

    private var texts = [(hash: UInt64, text: String)](repeating: (0, ""), count: size)
    private let hash = ValueHash()
    /// Where the members of an entry are, and of the objects in it.
    let places = (
        entry: HARMemberPlaces(), request: HARMemberPlaces(), response: HARMemberPlaces(), content: HARMemberPlaces(),
        timings: HARMemberPlaces()
    )

    /// The text of some bytes; what is not UTF-8 among them reads as U+FFFD.
    func text(_ bytes: UnsafeRawBufferPointer) -> String {
        guard Self.lengths.contains(bytes.count) else { return String(decoding: bytes, as: UTF8.self) }
        let hash = hash(bytes)
        let place = Int(truncatingIfNeeded: hash) & (Self.size - 1)
        if texts[place].hash == hash, Self.isEqual(texts[place].text, bytes) { return texts[place].text }
        let text = String(decoding: bytes, as: UTF8.self)
        texts[place] = (hash, text)
        return text
    }

    /// The text of some bytes, of which it is likely that they are this text.
    func text(_ bytes: UnsafeRawBufferPointer, or likely: String) -> String {
        Self.isEqual(likely, bytes) ? likely : text(bytes)
    }

    /// A string's text; nil when the value is none.
    func text(of value: JSONView) -> String? {
        if let bytes = value.plainBytes { return text(bytes) }
        return value.string
    }

    private static func isEqual(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { text in
            guard text.count == bytes.count else { return false }
            guard let a = text.baseAddress, let b = bytes.baseAddress else { return true }
            return memcmp(a, b, text.count) == 0
        } ?? false
    }
}

extension TextCache {
    /// Caches for threads that work beside each other: as many as there are at once.
    final class Pool: Sendable {
        private struct Free: Sendable {
            // Sendable: a cache that is here is used by nobody, and is taken out under the lock to be used by one.
            nonisolated(unsafe) var caches: [TextCache] = []
        }

        private let free = Lock(Free())

        /// Calls `body` with a cache that nobody else uses meanwhile.
        func withCache<R>(_ body: (TextCache) -> R) -> R {
            let cache = free.withLock { Taken(cache: $0.caches.popLast()) }.cache ?? TextCache()
            defer { put(cache) }
            return body(cache)
        }

        private struct Taken: Sendable {
            // Sendable: it crosses the lock's border alone.
            nonisolated(unsafe) var cache: TextCache?
        }

        private func put(_ cache: TextCache) {
            let taken = Taken(cache: cache)
            free.withLock { free in
                if let cache = taken.cache { free.caches.append(cache) }
            }
        }
    }
}
