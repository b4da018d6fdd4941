import Foundation
import Synchronization
import WeirModel

/// Keeps responses in memory, those used last longest.
final class MemoryCacheStore: CacheStore {
    private struct Entry {
        var responses: [(response: StoredResponse, body: Data)] = []
        var size: Int64 = 0
        var lastUse: UInt64 = 0
    }

    private struct State {
        var entries: [CacheKey: Entry] = [:]
        var size: Int64 = 0
        var uses: UInt64 = 0
    }

    /// Responses of one URL that differ by what Vary names.
    static let mostVariants = 16

    private let limit: Int64
    private let entryLimit: Int64
    private let state = Lock(State())

    init(limit: Int64, entryLimit: Int64) {
        self.limit = limit
        self.entryLimit = entryLimit
    }

    var size: Int64 { state.withLock { $0.size } }

    func responses(for key: CacheKey) -> [StoredResponse] {
        state.withLock { $0.entries[key]?.responses.map(\.response) ?? [] }
    }

    func body(of response: StoredResponse, for key: CacheKey) -> CachedBody? {
        state.withLock { state in
            guard let found = state.entries[key]?.responses.first(where: { $0.response.id == response.id }) else {
                return nil
            }
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return .memory(found.body)
        }
    }

    func makeWriter(for key: CacheKey) -> (any CacheWriter)? { Writer(self, key) }

    func store(
        _ response: StoredResponse, body: Data, for key: CacheKey, replacing: (StoredResponse) -> Bool
    ) {
        guard Int64(body.count) <= entryLimit else { return remove(for: key, where: replacing) }
        var response = response
        response.bodyLength = Int64(body.count)
        change(key) { entry in
            entry.responses.removeAll { replacing($0.response) }
            entry.responses.insert((response, body), at: 0)
            if entry.responses.count > Self.mostVariants { entry.responses.removeLast() }
        }
    }

    func update(_ response: StoredResponse, for key: CacheKey) {
        change(key) { entry in
            guard let index = entry.responses.firstIndex(where: { $0.response.id == response.id }) else { return }
            entry.responses[index].response = response
        }
    }

    func remove(for key: CacheKey, where isObsolete: (StoredResponse) -> Bool) {
        change(key) { entry in entry.responses.removeAll { isObsolete($0.response) } }
    }

    func removeAll() {
        state.withLock { state in
            state.entries = [:]
            state.size = 0
        }
    }

    private func change(_ key: CacheKey, _ body: (inout Entry) -> Void) {
        // What is thrown out is freed when the lock is open again.
        var old: [Entry] = []
        withoutActuallyEscaping(body) { body in
            old = state.withLock { state -> [Entry] in
                var entry = state.entries[key] ?? Entry()
                var old = [entry]
                body(&entry)
                state.size -= entry.size
                entry.size = entry.responses.reduce(0) { $0 + Self.size($1.response, $1.body, key) }
                state.size += entry.size
                state.uses += 1
                entry.lastUse = state.uses
                state.entries[key] = entry.responses.isEmpty ? nil : entry
                if state.size > limit { old += Self.evict(&state, to: limit - limit / 10) }
                return old
            }
        }
        old.removeAll()
    }

    /// Takes out what was not used for the longest time; some more than needed, so that not every response has to look for it.
    private static func evict(_ state: inout State, to target: Int64) -> [Entry] {
        var victims: [Entry] = []
        for (key, entry) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if state.size <= target { break }
            state.entries[key] = nil
            state.size -= entry.size
            victims.append(entry)
        }
        return victims
    }

    private static func size(_ response: StoredResponse, _ body: Data, _ key: CacheKey) -> Int64 {
        let fields = response.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
        return Int64(body.count + fields + key.text.utf8.count + 256)
    }

    /// Collects a body; its owner alone uses it.
    private final class Writer: CacheWriter {
        private let store: MemoryCacheStore
        private let key: CacheKey
        private var body = Data()

        init(_ store: MemoryCacheStore, _ key: CacheKey) {
            self.store = store
            self.key = key
        }

        func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            guard Int64(body.count + bytes.count) <= store.entryLimit else {
                body = Data()
                return false
            }
            body.append(contentsOf: bytes)
            return true
        }

        func commit(_ response: StoredResponse, replacing: (StoredResponse) -> Bool) {
            store.store(response, body: body, for: key, replacing: replacing)
        }

        func abandon() { body = Data() }
    }
}
