import Synchronization
import WeirModel

/// What was found of names before, of a fixed number of them: each has one place, and another name may take it.
///
/// By their salted hashes, not by their text. Two names of one hash would be taken for each other; of 64 bits, with a
/// random key, that does not happen.
final class KnownKeys: Sendable {
    private static let size = 2048

    private struct Entry {
        var hash: UInt64 = 0
        var traits = KeyTraits()
    }

    private let entries = Lock([Entry](repeating: Entry(), count: size))

    func traits(of key: UnsafeRawBufferPointer) -> KeyTraits {
        let hash = ValueHash()(key)
        let place = Int(truncatingIfNeeded: hash) & (Self.size - 1)
        let known = entries.withLock { $0[place] }
        if known.hash == hash { return known.traits }
        let traits = KeyTraits(key)
        entries.withLock { $0[place] = Entry(hash: hash, traits: traits) }
        return traits
    }
}
