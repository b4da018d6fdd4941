public import Foundation
import Synchronization
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPSession {
    /// A private cache of responses (RFC 9111), in memory or in a folder.
    ///
    /// Sessions whose configurations hold the same object share it. What is stored for a request with credentials (Authorization,
    /// Cookie, a user name in the URL, a client certificate) is never served to one with others, or with none; on disk
    /// the credential itself is not kept, but a salted digest of it. On Apple platforms it is a `URLCache`, with that system's rules.
    public final class Cache: Sendable {
        enum Kind {
            case memory
            case disk(URL)
        }

        private struct State {
            /// Counts looks and invalidations.
            var time: UInt64 = 0
            /// When what is stored for a key became obsolete.
            var invalidations: [CacheKey: UInt64] = [:]
            /// Looks before this may have missed an invalidation.
            var forgotten: UInt64 = 0
            var revalidating: Set<CacheKey> = []
        }

        private static let mostInvalidations = 1024

        let kind: Kind
        let limit: Int64
        /// Nil when the folder cannot be used.
        let store: (any CacheStore)?
        /// Why the folder cannot be used: every task of the session fails with it.
        let problem: URLError?
        let now: @Sendable () -> Double
        private let state = Lock(State())

        private init(
            _ kind: Kind, limit: Int64, store: (any CacheStore)?, problem: URLError?,
            now: @escaping @Sendable () -> Double
        ) {
            self.kind = kind
            self.limit = limit
            self.store = store
            self.problem = problem
            self.now = now
        }

        /// A cache in memory, which goes with the last session that has it.
        ///
        /// - Parameters:
        ///   - limit: The most bytes to keep, from 0: bodies as received, and some for their heads.
        ///   - entryLimit: The largest body to keep, in bytes; nil for an eighth of the limit.
        public static func memory(limit: Int = 16 << 20, entryLimit: Int? = nil) -> Cache {
            memory(limit: limit, entryLimit: entryLimit, now: wallClock)
        }

        /// A cache in a folder, which outlives the process and may be used by several of them at the same time.
        ///
        /// A folder that cannot be used makes every task of the session fail with `URLError.cannotCreateFile`.
        ///
        /// - Parameters:
        ///   - folder: The folder; made when it is not there, readable for its owner alone.
        ///   - limit: The most bytes to keep, from 0. Several processes together may exceed it by an eighth each for a while.
        ///   - entryLimit: The largest body to keep, in bytes; nil for an eighth of the limit.
        public static func disk(at folder: URL, limit: Int = 128 << 20, entryLimit: Int? = nil) -> Cache {
            disk(at: folder, limit: limit, entryLimit: entryLimit, now: wallClock)
        }

        package static func memory(
            limit: Int, entryLimit: Int? = nil, now: @escaping @Sendable () -> Double
        ) -> Cache {
            let limit = Int64(max(0, limit))
            let store = MemoryCacheStore(limit: limit, entryLimit: entryLimit.map(Int64.init) ?? limit / 8)
            return Cache(.memory, limit: limit, store: store, problem: nil, now: now)
        }

        package static func disk(
            at folder: URL, limit: Int, entryLimit: Int? = nil, now: @escaping @Sendable () -> Double
        ) -> Cache {
            let limit = Int64(max(0, limit))
            #if canImport(Darwin)
            return Cache(.disk(folder), limit: limit, store: nil, problem: nil, now: now)
            #else
            do {
                let store = try DiskCacheStore(
                    folder, limit: limit, entryLimit: entryLimit.map(Int64.init) ?? limit / 8, now: now)
                return Cache(.disk(folder), limit: limit, store: store, problem: nil, now: now)
            } catch {
                let problem = URLError(
                    .cannotCreateFile,
                    sentence: "The cache's folder \(folder.path) cannot be made: \(error.localizedDescription)")
                return Cache(.disk(folder), limit: limit, store: nil, problem: problem, now: now)
            }
            #endif
        }

        private static let wallClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }

        /// Bytes in use: bodies as received, and their heads; 0 on Apple platforms.
        public var currentUsage: Int64 { store?.size ?? 0 }

        /// Removes all stored responses; without effect on Apple platforms.
        public func removeAll() {
            state.withLock { state in
                state.time += 1
                state.forgotten = state.time
            }
            store?.removeAll()
        }
    }
}

extension HTTPSession.Cache {
    /// Notes that a request looks for what is stored.
    ///
    /// - Returns: What to give to ``isCurrent(_:since:)``.
    func look() -> UInt64 { state.withLock { $0.time } }

    /// Removes what is stored for a key, and what is on its way and older than this.
    func invalidate(_ key: CacheKey) {
        state.withLock { state in
            state.time += 1
            if state.invalidations.count >= Self.mostInvalidations {
                state.invalidations = [:]
                state.forgotten = state.time
            }
            state.invalidations[key] = state.time
        }
        store?.markObsolete(key)
        store?.remove(for: key) { _ in true }
    }

    /// Whether nothing made a response obsolete while it was on its way.
    func isCurrent(_ key: CacheKey, since look: UInt64) -> Bool {
        state.withLock { state in state.forgotten <= look && (state.invalidations[key] ?? 0) <= look }
    }

    /// Whether the caller is to ask the server about a key in the background: one does at a time.
    func beginsRevalidation(_ key: CacheKey) -> Bool { state.withLock { $0.revalidating.insert(key).inserted } }
    func endRevalidation(_ key: CacheKey) { state.withLock { _ = $0.revalidating.remove(key) } }
}
