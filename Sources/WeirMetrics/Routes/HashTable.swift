/// A table from hashes to numbers, in two flat arrays; nothing is ever taken out but all at once.
///
/// Equal hashes count as equal keys: they are salted and have 64 bits.
struct HashTable: Sendable {
    private var keys: [UInt64]
    private var values: [Int32]
    private(set) var count = 0

    init() {
        keys = Array(repeating: 0, count: 64)
        values = Array(repeating: -1, count: 64)
    }

    /// The number of a hash.
    subscript(key: UInt64) -> Int32? {
        let mask = keys.count - 1
        var place = Int(truncatingIfNeeded: key) & mask
        while true {
            let value = values[place]
            if value < 0 { return nil }
            if keys[place] == key { return value }
            place = (place + 1) & mask
        }
    }

    /// Adds a hash that is not there yet, for a number of 0 or more.
    mutating func insert(_ key: UInt64, _ value: Int32) {
        if (count + 1) * 2 > keys.count { grow() }
        place(key, value)
        count += 1
    }

    /// Takes everything out; the memory stays.
    mutating func removeAll() {
        for place in values.indices { values[place] = -1 }
        count = 0
    }

    private mutating func place(_ key: UInt64, _ value: Int32) {
        let mask = keys.count - 1
        var place = Int(truncatingIfNeeded: key) & mask
        while values[place] >= 0 { place = (place + 1) & mask }
        keys[place] = key
        values[place] = value
    }

    private mutating func grow() {
        let (oldKeys, oldValues) = (keys, values)
        keys = Array(repeating: 0, count: oldKeys.count * 2)
        values = Array(repeating: -1, count: oldKeys.count * 2)
        for place in oldKeys.indices where oldValues[place] >= 0 { self.place(oldKeys[place], oldValues[place]) }
    }
}
