import Foundation
import Synchronization
import WeirModel

/// Keeps responses in a folder, which several processes may use at the same time.
///
/// Each URL has a file that lists its responses, each response a file with its body; both appear under their names when
/// they are complete, and are never changed afterwards, so no lock is needed between processes. Of two that store for one
/// URL at the same time the last one counts. A body that no list names is swept away later. What one process makes obsolete while
/// it is on its way to another is told by a file without content that takes the place of another one.
final class DiskCacheStore: CacheStore {
    static let entrySuffix = ".entry"
    static let bodySuffix = ".body"
    static let partSuffix = ".part"
    static let markSuffix = ".mark"
    private static let markOfAll = "all" + markSuffix

    private struct State {
        /// Bytes in the folder, as far as this process knows; nil before it looked.
        var size: Int64?
        /// Bytes that this process wrote since it looked: others write as well.
        var written: Int64 = 0
        var isSweeping = false
    }

    let folder: String
    let limit: Int64
    let entryLimit: Int64
    let now: @Sendable () -> Double
    private let state = Lock(State())

    /// Makes the folder, if it is not there.
    ///
    /// - Throws: The error of the file system.
    init(_ url: URL, limit: Int64, entryLimit: Int64, now: @escaping @Sendable () -> Double) throws {
        self.limit = limit
        self.entryLimit = entryLimit
        self.now = now
        // Other versions have other folders, so that an older program beside this one does not sweep what it cannot read.
        let versioned = url.appendingPathComponent("weir-\(CacheEntry.version)", isDirectory: true)
        try FileManager.default.createDirectory(
            at: versioned, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        folder = versioned.path
    }

    func path(_ name: String) -> String { folder + "/" + name }
    func entryPath(_ key: CacheKey) -> String { path(key.fileName + Self.entrySuffix) }
    func bodyPath(_ id: UInt64, _ key: CacheKey) -> String {
        path(key.fileName + "-" + Checksum.hexadecimal(id) + Self.bodySuffix)
    }

    var size: Int64 {
        if let size = state.withLock({ $0.size }) { return size }
        return look()
    }

    func responses(for key: CacheKey) -> [StoredResponse] {
        let path = entryPath(key)
        guard let bytes = read(path) else { return [] }
        guard let entry = CacheEntry(bytes) else {
            CacheFile.remove(path)
            return []
        }
        // Another URL may have the same name of a file.
        return entry.key == key.text ? entry.responses : []
    }

    func body(of response: StoredResponse, for key: CacheKey) -> CachedBody? {
        CacheFile.touch(entryPath(key), now())
        guard response.bodyLength > 0 else { return .memory(Data()) }
        let path = bodyPath(response.id, key)
        guard let file = CachedFile(path, count: response.bodyLength, checksum: response.bodyChecksum) else {
            remove(for: key) { $0.id == response.id }
            CacheFile.remove(path)
            return nil
        }
        return .file(file)
    }

    func makeWriter(for key: CacheKey) -> (any CacheWriter)? { DiskCacheWriter(self, key) }

    func store(
        _ response: StoredResponse, body: Data, for key: CacheKey, replacing: (StoredResponse) -> Bool
    ) {
        guard let writer = DiskCacheWriter(self, key) else { return }
        for region in body.regions where !region.withUnsafeBytes({ writer.append($0) }) {
            remove(for: key, where: replacing)
            return
        }
        writer.commit(response, replacing: replacing)
    }

    func update(_ response: StoredResponse, for key: CacheKey) {
        var responses = responses(for: key)
        guard let index = responses.firstIndex(where: { $0.id == response.id }) else { return }
        responses[index] = response
        write(responses, for: key)
    }

    func remove(for key: CacheKey, where isObsolete: (StoredResponse) -> Bool) {
        let responses = responses(for: key)
        let obsolete = responses.filter(isObsolete)
        guard !obsolete.isEmpty else { return }
        write(responses.filter { response in !obsolete.contains { $0.id == response.id } }, for: key)
        for response in obsolete { CacheFile.remove(bodyPath(response.id, key)) }
    }

    func markObsolete(_ key: CacheKey) { makeMark(key.fileName + Self.markSuffix) }

    func mark(of key: CacheKey) -> CacheMark {
        CacheMark(
            key: CacheFile.identity(path(key.fileName + Self.markSuffix)), all: CacheFile.identity(path(Self.markOfAll))
        )
    }

    private func makeMark(_ name: String) {
        let part = partPath()
        guard let descriptor = CacheFile.create(part) else { return }
        CacheFile.close(descriptor)
        if !CacheFile.rename(part, to: path(name)) { CacheFile.remove(part) }
    }

    func removeAll() {
        makeMark(Self.markOfAll)
        for name in CacheFile.names(folder) where !name.hasSuffix(Self.partSuffix) && name != Self.markOfAll {
            CacheFile.remove(path(name))
        }
        state.withLock { state in
            state.size = nil
            state.written = 0
        }
    }

    /// Adds a response whose body has its name already.
    func add(_ response: StoredResponse, for key: CacheKey, replacing: (StoredResponse) -> Bool) {
        let before = responses(for: key)
        var after = before.filter { !replacing($0) }
        after.insert(response, at: 0)
        if after.count > MemoryCacheStore.mostVariants { after.removeLast() }
        write(after, for: key)
        for old in before where !after.contains(where: { $0.id == old.id }) {
            CacheFile.remove(bodyPath(old.id, key))
        }
        grow(response.bodyLength)
    }

    /// Writes the list of a URL's responses, or removes it when there are none.
    private func write(_ responses: [StoredResponse], for key: CacheKey) {
        let path = entryPath(key)
        guard !responses.isEmpty else { return CacheFile.remove(path) }
        let bytes = CacheEntry(key: key.text, responses: responses).bytes
        let part = partPath()
        guard Int64(bytes.count) <= CacheEntry.sizeLimit, let descriptor = CacheFile.create(part) else {
            return CacheFile.remove(path)
        }
        let isWritten = bytes.withUnsafeBytes { CacheFile.write(descriptor, $0) }
        CacheFile.close(descriptor)
        CacheFile.touch(part, now())
        // What could not be replaced is out of date.
        if !isWritten || !CacheFile.rename(part, to: path) {
            CacheFile.remove(part)
            CacheFile.remove(path)
        }
        grow(Int64(bytes.count))
    }

    func partPath() -> String { path(Checksum.hexadecimal(.random(in: 0 ... .max)) + Self.partSuffix) }

    func read(_ path: String) -> [UInt8]? {
        guard let (descriptor, size) = CacheFile.openForReading(path) else { return nil }
        defer { CacheFile.close(descriptor) }
        guard size <= CacheEntry.sizeLimit else { return [] }
        var isRead = false
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
            let found = CacheFile.read(descriptor, at: 0, into: UnsafeMutableRawBufferPointer(buffer))
            isRead = found == Int(size)
            count = found ?? 0
        }
        return isRead ? bytes : []
    }

    /// Counts what was written, and makes room when it is time to.
    private func grow(_ count: Int64) {
        let mustSweep = state.withLock { state in
            state.written += count
            state.size = state.size.map { $0 + count }
            let isTime = state.size.map { $0 > limit } ?? true || state.written > limit / 8
            guard isTime, !state.isSweeping else { return false }
            state.isSweeping = true
            return true
        }
        guard mustSweep else { return }
        let size = sweep()
        state.withLock { state in
            state.size = size
            state.written = 0
            state.isSweeping = false
        }
    }

    private func look() -> Int64 {
        let size = CacheFile.names(folder).reduce(0) { $0 + (CacheFile.status(path($1))?.size ?? 0) }
        state.withLock { $0.size = size }
        return size
    }
}

/// Takes a body into a file; its owner alone uses it.
final class DiskCacheWriter: CacheWriter {
    private let store: DiskCacheStore
    private let key: CacheKey
    private let part: String
    private var descriptor: Int32?
    private var checksum = Checksum()
    private var count: Int64 = 0

    init?(_ store: DiskCacheStore, _ key: CacheKey) {
        self.store = store
        self.key = key
        part = store.partPath()
        guard let descriptor = CacheFile.create(part) else { return nil }
        self.descriptor = descriptor
    }

    deinit { abandon() }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let descriptor else { return false }
        count += Int64(bytes.count)
        guard count <= store.entryLimit, CacheFile.write(descriptor, bytes) else {
            abandon()
            return false
        }
        checksum.update(bytes)
        return true
    }

    func commit(_ response: StoredResponse, replacing: (StoredResponse) -> Bool) {
        guard let open = descriptor else { return }
        descriptor = nil
        CacheFile.close(open)
        var response = response
        response.bodyLength = count
        response.bodyChecksum = checksum.value
        if count == 0 {
            CacheFile.remove(part)
        } else {
            CacheFile.touch(part, store.now())
            guard CacheFile.rename(part, to: store.bodyPath(response.id, key)) else {
                CacheFile.remove(part)
                return
            }
        }
        store.add(response, for: key, replacing: replacing)
    }

    func abandon() {
        guard let open = descriptor else { return }
        descriptor = nil
        CacheFile.close(open)
        CacheFile.remove(part)
    }
}
