/// Names in ASCII, found among bytes without regard to case and without making a string of them.
package struct NameTable: Sendable {
    private struct Entry: Sendable {
        var first: UInt8
        var last: UInt8
        /// Where its bytes begin.
        var start: Int32
        var number: Int32
    }

    /// The names in lower case, one after the other.
    private let bytes: [UInt8]
    /// The names, shorter ones first.
    private let entries: [Entry]
    /// For each length the place of its first entry, and one more.
    private let places: [Int32]

    /// Makes a table of names that are in lower case, not empty and in ASCII.
    package init(_ names: [String]) {
        let longest = names.map(\.utf8.count).max() ?? 0
        var bytes: [UInt8] = []
        var entries: [Entry] = []
        var places: [Int32] = [0]
        for length in 0...longest {
            for (number, name) in names.enumerated() where name.utf8.count == length {
                guard let first = name.utf8.first, let last = name.utf8.last else { continue }
                entries.append(
                    Entry(first: first, last: last, start: Int32(bytes.count), number: Int32(number)))
                bytes += Array(name.utf8)
            }
            places.append(Int32(entries.count))
        }
        self.bytes = bytes
        self.entries = entries
        self.places = places
    }

    /// The place of a name among those that the table was made of, or nil when it is none of them.
    package func number(of name: UnsafeRawBufferPointer) -> Int? {
        let length = name.count
        guard length > 0, length + 1 < places.count else { return nil }
        // A bit that tells small letters from capitals, and some other characters from each other: looked at again below.
        let (first, last) = (name[0] | 0x20, name[length - 1] | 0x20)
        var place = Int(places[length])
        let end = Int(places[length + 1])
        while place < end {
            let entry = entries[place]
            if entry.first | 0x20 == first, entry.last | 0x20 == last, isEqual(Int(entry.start), name) {
                return Int(entry.number)
            }
            place += 1
        }
        return nil
    }

    /// Whether it is one of the names.
    package func contains(_ name: UnsafeRawBufferPointer) -> Bool { number(of: name) != nil }

    private func isEqual(_ start: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            for i in 0..<name.count {
                let byte = name[i]
                if (byte &- 0x41 < 26 ? byte | 0x20 : byte) != bytes[start + i] { return false }
            }
            return true
        }
    }
}
