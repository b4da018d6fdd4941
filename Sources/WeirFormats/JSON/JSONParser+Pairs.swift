extension JSONParser {
    /// Where the parts of `{"name": "...", "value": "..."}` are.
    struct Pair {
        var nameKey: Int
        var name: Range<Int>
        var valueKey: Int
        var value: Range<Int>
        /// After the brace.
        var end: Int
    }

    /// Finds the parts of such an object whose brace is at a place; nil when there is anything else in it, or when a string
    /// in it has an escape, a control character or a byte that is not ASCII.
    @inline(__always)
    func pair(at start: Int) -> Pair? {
        var i = start + 1
        guard takeSpace(&i), takeKey(&i, 0x22_65_6D_61_6E_22, length: 6) else { return nil }
        let nameKey = i - 5
        guard takeMark(&i, UInt8(ascii: ":")), let name = takePlainString(&i), takeMark(&i, UInt8(ascii: ",")),
            takeSpace(&i), takeKey(&i, 0x22_65_75_6C_61_76_22, length: 7)
        else { return nil }
        let valueKey = i - 6
        guard takeMark(&i, UInt8(ascii: ":")), let value = takePlainString(&i), takeMark(&i, UInt8(ascii: "}")) else {
            return nil
        }
        return Pair(nameKey: nameKey, name: name, valueKey: valueKey, value: value, end: i)
    }

    /// Passes over white space; false at the end of the bytes.
    @inline(__always)
    private func takeSpace(_ i: inout Int) -> Bool {
        while i < bytes.count {
            let byte = bytes[i]
            if byte > 0x20 { return true }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return false }
            i += 1
            // Indentation.
            while i + 8 <= bytes.count,
                bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self) == 0x2020_2020_2020_2020
            {
                i += 8
            }
        }
        return false
    }

    /// Passes over a key with its quotes, given as the bytes of a number, the first one lowest.
    @inline(__always)
    private func takeKey(_ i: inout Int, _ key: UInt64, length: Int) -> Bool {
        guard i + 8 <= bytes.count else { return false }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
        guard word & (1 << UInt64(8 * length) &- 1) == key else { return false }
        i += length
        return true
    }

    /// Passes over white space and one mark.
    @inline(__always)
    private func takeMark(_ i: inout Int, _ mark: UInt8) -> Bool {
        guard takeSpace(&i), bytes[i] == mark else { return false }
        i += 1
        return true
    }

    /// Passes over white space and a string.
    ///
    /// - Returns: What is between its quotes.
    @inline(__always)
    private func takePlainString(_ i: inout Int) -> Range<Int>? {
        guard takeMark(&i, UInt8(ascii: "\"")) else { return nil }
        let start = i
        while i + 16 <= bytes.count {
            let marks = JSONMasks.marked(bytes.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self))
            if marks == 0 {
                i += 16
                continue
            }
            i += marks.trailingZeroBitCount
            guard bytes[i] == UInt8(ascii: "\"") else { return nil }
            i += 1
            return start..<(i - 1)
        }
        return nil
    }
}
