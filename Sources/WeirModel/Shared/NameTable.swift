/// Names in ASCII, found among bytes without regard to case and without making a string of them.
///
/// A few bytes of a name and its length tell where it would be: of bytes that are none of the names nothing else is looked
/// at, most times.
package struct NameTable: Sendable {
    private struct Slot: Sendable {
        /// 0 where there is no name.
        var length: Int32 = 0
        /// Where its bytes begin.
        var start: Int32 = 0
        var number = 0
    }

    /// The names in lower case, one after the other.
    private let bytes: [UInt8]
    /// The names by ``place(of:)``, each there or in the first free slot after it.
    private let slots: [Slot]

    /// Makes a table of names that are in lower case, not empty and in ASCII.
    package init(_ names: [String]) {
        // At least eight slots for each name, so that few share one.
        let size = 1 << (Int.bitWidth - (names.count * 8).leadingZeroBitCount)
        var bytes: [UInt8] = []
        var slots = [Slot](repeating: Slot(), count: size)
        for (number, name) in names.enumerated() where !name.isEmpty {
            let text = Array(name.utf8)
            var place = text.withUnsafeBytes { Self.hash($0) } & (size - 1)
            while slots[place].length > 0 { place = (place + 1) & (size - 1) }
            slots[place] = Slot(length: Int32(text.count), start: Int32(bytes.count), number: number)
            bytes += text
        }
        self.bytes = bytes
        self.slots = slots
    }

    /// A number of the length and of three bytes of a text that is not empty, the same for capitals and small letters.
    @inline(__always)
    private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
        let (first, middle) = (Int(name[0] | 0x20), Int(name[name.count >> 1] | 0x20))
        let last = Int(name[name.count - 1] | 0x20)
        return name.count &* 37 &+ first &* 5 &+ middle &* 11 &+ last &* 83
    }

    /// The place of a name among those that the table was made of, or nil when it is none of them.
    package func number(of name: UnsafeRawBufferPointer) -> Int? {
        guard name.count > 0 else { return nil }
        let mask = slots.count - 1
        var place = Self.hash(name) & mask
        while true {
            let slot = slots[place]
            if slot.length == 0 { return nil }
            if Int(slot.length) == name.count, isEqual(Int(slot.start), name) { return slot.number }
            place = (place + 1) & mask
        }
    }

    /// Whether it is one of the names.
    package func contains(_ name: UnsafeRawBufferPointer) -> Bool { number(of: name) != nil }

    private func isEqual(_ start: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var i = 0
            // Eight at a time while they are written as the name is.
            while i + 8 <= name.count,
                name.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                    == bytes.loadUnaligned(fromByteOffset: start + i, as: UInt64.self)
            {
                i += 8
            }
            while i < name.count {
                let byte = name[i]
                if (byte &- 0x41 < 26 ? byte | 0x20 : byte) != bytes[start + i] { return false }
                i += 1
            }
            return true
        }
    }
}
