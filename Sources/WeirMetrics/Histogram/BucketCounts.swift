/// Counters of neighbouring buckets, as narrow as their numbers allow: 1, 2, 4 or 8 bytes each.
struct BucketCounts: Sendable {
    /// The index of the first counter.
    private var start = 0
    private var width = 1
    private var bytes: [UInt8] = []
    /// The indices of the lowest and the highest bucket that was counted in; nil without any.
    private(set) var range: ClosedRange<Int>?

    /// Makes no counters yet.
    init() {}

    /// Makes room for so many counters at once, of two bytes each, so that counting takes no memory for long.
    init(reserving count: Int) {
        width = 2
        bytes = [UInt8](repeating: 0, count: max(1, count) * 2)
    }

    /// Bytes that the counters take.
    var byteCount: Int { bytes.count }

    private var slots: Int { bytes.count / width }

    subscript(index: Int) -> UInt64 {
        let slot = index - start
        return slot >= 0 && slot < slots ? read(slot) : 0
    }

    /// Adds to a counter.
    ///
    /// - Returns: Whether it was done; not where the buckets from the lowest to the highest would be more than `limit`.
    mutating func add(_ count: UInt64, at index: Int, limit: Int) -> Bool {
        if index < start || index >= start + slots {
            guard makeRoom(for: index, limit: limit) else { return false }
        }
        let slot = index - start
        let (sum, overflows) = read(slot).addingReportingOverflow(count)
        let value = overflows ? UInt64.max : sum
        while width < 8, value >> (UInt64(width) * 8) != 0 { widen() }
        write(value, slot)
        if let range, range.contains(index) { return true }
        range = range.map { min($0.lowerBound, index)...max($0.upperBound, index) } ?? index...index
        return true
    }

    /// Calls `body` for each bucket that is not empty, from the lowest.
    func forEach(_ body: (_ index: Int, _ count: UInt64) -> Void) {
        guard let range else { return }
        for index in range where self[index] > 0 { body(index, self[index]) }
    }

    /// The same counts with each 2^shift neighbours in one; room that was reserved stays.
    func shifted(by shift: Int, limit: Int) -> BucketCounts {
        guard let range else { return self }
        var result = BucketCounts()
        let (low, high) = (range.lowerBound >> shift, range.upperBound >> shift)
        if width > 1, slots >= limit, high - low < slots {
            result.width = width
            result.bytes = [UInt8](repeating: 0, count: bytes.count)
            result.start = low - (slots - (high - low + 1)) / 2
        } else {
            // From both ends, so that there is room for all that lies between.
            _ = result.makeRoom(for: low, limit: limit)
            _ = result.makeRoom(for: high, limit: limit)
        }
        forEach { index, count in _ = result.add(count, at: index >> shift, limit: limit) }
        return result
    }

    private mutating func makeRoom(for index: Int, limit: Int) -> Bool {
        if range == nil, !bytes.isEmpty {
            // Room that was reserved lies on both sides of the first value.
            start = index - slots / 2
            return true
        }
        guard !bytes.isEmpty else {
            start = index
            bytes = [UInt8](repeating: 0, count: min(8, limit))
            return true
        }
        let used = range ?? start...start
        let low = min(used.lowerBound, index)
        let high = max(used.upperBound, index)
        guard high - low < limit else { return false }
        let count = min(limit, max(high - low + 1, slots * 2))
        // What is to spare lies on the side on which it was needed.
        let newStart = index < start ? high - count + 1 : low
        var new = [UInt8](repeating: 0, count: count * width)
        let first = used.lowerBound - start
        let from = first * width
        let to = (used.lowerBound - newStart) * width
        let length = (min(used.upperBound, start + slots - 1) - used.lowerBound + 1) * width
        new.replaceSubrange(to..<(to + length), with: bytes[from..<(from + length)])
        start = newStart
        bytes = new
        return true
    }

    private mutating func widen() {
        let old = (0..<slots).map(read)
        width *= 2
        bytes = [UInt8](repeating: 0, count: old.count * width)
        for (slot, value) in old.enumerated() { write(value, slot) }
    }

    private func read(_ slot: Int) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            switch width {
            case 1: UInt64(bytes[slot])
            case 2: UInt64(bytes.loadUnaligned(fromByteOffset: slot * 2, as: UInt16.self))
            case 4: UInt64(bytes.loadUnaligned(fromByteOffset: slot * 4, as: UInt32.self))
            default: bytes.loadUnaligned(fromByteOffset: slot * 8, as: UInt64.self)
            }
        }
    }

    private mutating func write(_ value: UInt64, _ slot: Int) {
        let width = width
        bytes.withUnsafeMutableBytes { bytes in
            switch width {
            case 1: bytes[slot] = UInt8(truncatingIfNeeded: value)
            case 2: bytes.storeBytes(of: UInt16(truncatingIfNeeded: value), toByteOffset: slot * 2, as: UInt16.self)
            case 4: bytes.storeBytes(of: UInt32(truncatingIfNeeded: value), toByteOffset: slot * 4, as: UInt32.self)
            default: bytes.storeBytes(of: value, toByteOffset: slot * 8, as: UInt64.self)
            }
        }
    }
}

extension BucketCounts: Hashable {
    /// By what was counted, however it is held.
    static func == (a: BucketCounts, b: BucketCounts) -> Bool {
        guard a.range == b.range else { return false }
        return a.range?.allSatisfy { a[$0] == b[$0] } ?? true
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(range)
        forEach { index, count in
            hasher.combine(index)
            hasher.combine(count)
        }
    }
}
