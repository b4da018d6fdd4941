import Foundation
import WeirModel

/// Where a cache keeps responses; all of it may be called from any thread.
///
/// Whatever goes wrong in a store (a full disk, a damaged file), the response counts as not stored.
protocol CacheStore: Sendable {
    /// The responses that are stored for a key, the latest first.
    func responses(for key: CacheKey) -> [StoredResponse]
    /// The body of a stored response, whole and as it was stored; nil when it is gone, and so is the response then.
    func body(of response: StoredResponse, for key: CacheKey) -> CachedBody?
    /// Takes a body in pieces; nil when that cannot be done.
    func makeWriter(for key: CacheKey) -> (any CacheWriter)?
    /// Stores a response whose body is in memory, in place of those that the predicate names.
    func store(
        _ response: StoredResponse, body: Data, for key: CacheKey, replacing: (StoredResponse) -> Bool)
    /// Replaces what is known of a stored response, its body apart.
    func update(_ response: StoredResponse, for key: CacheKey)
    /// Removes the responses that the predicate names.
    func remove(for key: CacheKey, where isObsolete: (StoredResponse) -> Bool)
    func removeAll()
    /// Tells other processes that what is on its way to them for a key is obsolete.
    func markObsolete(_ key: CacheKey)
    /// What changes when another process makes obsolete what is on its way for a key, or everything.
    func mark(of key: CacheKey) -> CacheMark
    /// Bytes in use.
    var size: Int64 { get }
}

extension CacheStore {
    // Of one process alone; `HTTPSession.Cache` knows what that one does.
    func markObsolete(_ key: CacheKey) {}
    func mark(of key: CacheKey) -> CacheMark { CacheMark() }
}

/// Which files mark that what was on its way before them is obsolete: of a key, and of all keys.
struct CacheMark: Equatable {
    var key: CacheFile.Identity?
    var all: CacheFile.Identity?
}

/// Takes the body of a response that is stored while it passes; owned by the one who reads the body.
protocol CacheWriter: AnyObject {
    /// Takes the next bytes.
    ///
    /// - Returns: Whether it goes on; not, for one, when the body is larger than an entry may be.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Stores the response, its body being complete.
    func commit(_ response: StoredResponse, replacing: (StoredResponse) -> Bool)
    /// Forgets what came.
    func abandon()
}

/// The body of a stored response.
enum CachedBody: Sendable {
    case memory(Data)
    case file(CachedFile)

    var count: Int64 {
        switch self {
        case .memory(let data): Int64(data.count)
        case .file(let file): file.count
        }
    }

    /// The whole body.
    func data() -> Data? {
        switch self {
        case .memory(let data): data
        case .file(let file): file.data()
        }
    }

    /// A piece of the body; none behind its end, nil when it cannot be read.
    func read(at offset: Int64, atMost count: Int) -> [UInt8]? {
        switch self {
        case .memory(let data):
            guard offset >= 0, offset < data.count else { return [] }
            let start = data.startIndex + Int(offset)
            return Array(data[start..<min(data.endIndex, start + count)])
        case .file(let file): return file.read(at: offset, atMost: count)
        }
    }
}
