/// Numbers by hash, or a set of hashes: open addressing, the hashes being random already.
///
/// A table is used as one or the other.
struct HashTable: Sendable {
    private var keys: [UInt64]
    private var numbers: [Int32]
    private(set) var count = 0

    init() {
        keys = []
        numbers = []
    }

    /// The number of a hash, or nil.
    subscript(hash: UInt64) -> Int32? {
        guard !keys.isEmpty else { return nil }
        let place = place(of: hash)
        return keys[place] == 0 || numbers.isEmpty ? nil : numbers[place]
    }

    /// Whether a hash is in it.
    func contains(_ hash: UInt64) -> Bool { !keys.isEmpty && keys[place(of: hash)] != 0 }

    /// Sets the number of a hash that is not 0.
    mutating func set(_ hash: UInt64, to number: Int32) {
        if (count + 1) * 2 > keys.count { grow() }
        if numbers.isEmpty { numbers = Array(repeating: 0, count: keys.count) }
        let place = place(of: hash)
        if keys[place] == 0 {
            keys[place] = hash
            count += 1
        }
        numbers[place] = number
    }

    /// Adds a hash.
    ///
    /// - Returns: Whether it is new.
    mutating func insert(_ hash: UInt64) -> Bool {
        if (count + 1) * 2 > keys.count { grow() }
        let place = place(of: hash)
        guard keys[place] == 0 else { return false }
        keys[place] = hash
        count += 1
        return true
    }

    @inline(__always)
    private func place(of hash: UInt64) -> Int {
        let mask = keys.count &- 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while keys[place] != 0, keys[place] != hash { place = (place &+ 1) & mask }
        return place
    }

    private mutating func grow() {
        let oldKeys = keys
        let oldNumbers = numbers
        let size = max(64, oldKeys.count * 2)
        keys = Array(repeating: 0, count: size)
        if !oldNumbers.isEmpty { numbers = Array(repeating: 0, count: size) }
        for (index, key) in oldKeys.enumerated() where key != 0 {
            let place = place(of: key)
            keys[place] = key
            if !oldNumbers.isEmpty { numbers[place] = oldNumbers[index] }
        }
    }
}
