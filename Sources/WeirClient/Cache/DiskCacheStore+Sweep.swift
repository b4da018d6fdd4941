import WeirModel

extension DiskCacheStore {
    /// After so many seconds a file that nobody names is nobody's: a process that was writing it is gone.
    private static let grace: Double = 3600

    /// The files of one URL.
    private struct Group {
        var entry: String?
        var bodies: [(name: String, time: Double)] = []
        var size: Int64 = 0
        var lastUse: Double = 0
    }

    /// Removes what nobody names and then, if there is more than the limit, what was not used for the longest time.
    ///
    /// - Returns: Bytes in the folder afterwards.
    func sweep() -> Int64 {
        let now = now()
        var groups: [Substring: Group] = [:]
        var size: Int64 = 0
        for name in CacheFile.names(folder) {
            guard let status = CacheFile.status(path(name)) else { continue }
            let isEntry = name.hasSuffix(Self.entrySuffix)
            guard isEntry || name.hasSuffix(Self.bodySuffix) else {
                // Part of a body that is being written, or was when a process ended; or a mark, for which nobody waits any more.
                let isOurs = name.hasSuffix(Self.partSuffix) || name.hasSuffix(Self.markSuffix)
                if status.time < now - Self.grace, isOurs {
                    CacheFile.remove(path(name))
                } else {
                    size += status.size
                }
                continue
            }
            var group = groups[name.prefix(32)] ?? Group()
            group.size += status.size
            if isEntry {
                group.entry = name
                group.lastUse = status.time
            } else {
                group.bodies.append((name, status.time))
            }
            groups[name.prefix(32)] = group
            size += status.size
        }
        for (id, group) in groups { size -= removeUnnamed(group, id, now) }
        guard size > limit else { return size }
        // Some room, so that not every response sweeps.
        let target = limit - limit / 10
        for group in groups.values.sorted(by: { $0.lastUse < $1.lastUse }) {
            if size <= target { break }
            // The list first: without it nobody looks for the bodies.
            if let entry = group.entry { CacheFile.remove(path(entry)) }
            for body in group.bodies { CacheFile.remove(path(body.name)) }
            size -= group.size
        }
        return max(0, size)
    }

    /// Removes bodies that the list does not name, if they are not so new that the list may be about to.
    ///
    /// - Returns: Bytes that were freed.
    private func removeUnnamed(_ group: Group, _ id: Substring, _ now: Double) -> Int64 {
        let old = group.bodies.filter { $0.time < now - Self.grace }
        guard !old.isEmpty, group.entry == nil || group.bodies.count > 1 else { return 0 }
        let entry = group.entry.flatMap { read(path($0)) }.flatMap(CacheEntry.init)
        let named = Set(
            (entry?.responses ?? []).map { "\(id)-\(Checksum.hexadecimal($0.id))\(Self.bodySuffix)" })
        var freed: Int64 = 0
        for body in old where !named.contains(body.name) {
            freed += CacheFile.status(path(body.name))?.size ?? 0
            CacheFile.remove(path(body.name))
        }
        return freed
    }
}
