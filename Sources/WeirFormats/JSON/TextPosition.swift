/// A place in a text that is read piece by piece.
struct TextPosition: Sendable, Hashable {
    /// The byte, from 0.
    var offset = 0
    /// The line, from 1.
    var line = 1
    /// The column in Unicode scalars, from 1.
    var column = 1

    /// Goes on over bytes that follow.
    ///
    /// Sixteen bytes at a time: a text of a gigabyte is counted in passing.
    mutating func advance(over bytes: UnsafeRawBufferPointer) {
        offset += bytes.count
        let lines = Self.count(bytes, Self.isLineBreak, Self.isLineBreak)
        if lines > 0, let last = bytes.lastIndex(of: 0x0A) {
            line += lines
            column = 1 + Self.scalars(UnsafeRawBufferPointer(rebasing: bytes[(last + 1)...]))
        } else {
            column += Self.scalars(bytes)
        }
    }

    /// The place after more bytes.
    func advanced(over bytes: UnsafeRawBufferPointer) -> TextPosition {
        var position = self
        position.advance(over: bytes)
        return position
    }

    private static func scalars(_ bytes: UnsafeRawBufferPointer) -> Int {
        bytes.count - count(bytes, isContinuation, isContinuation)
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A }
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    @inline(__always)
    private static func isLineBreak(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        block .== SIMD16<UInt8>(repeating: 0x0A)
    }

    @inline(__always)
    private static func isContinuation(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        (block & SIMD16<UInt8>(repeating: 0xC0)) .== SIMD16<UInt8>(repeating: 0x80)
    }

    /// How many bytes fit.
    @inline(__always)
    private static func count(
        _ bytes: UnsafeRawBufferPointer, _ blockFits: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>,
        _ byteFits: (UInt8) -> Bool
    ) -> Int {
        var total = 0
        var i = 0
        while i + 16 <= bytes.count {
            // A lane of a mask is -1 where the byte fits: at most 255 blocks until a lane's count is full.
            var counts = SIMD16<UInt8>(repeating: 0)
            let end = i + min(255, (bytes.count - i) / 16) * 16
            while i < end {
                let block = bytes.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
                counts &-= unsafeBitCast(blockFits(block), to: SIMD16<UInt8>.self)
                i += 16
            }
            let halves = unsafeBitCast(counts, to: SIMD2<UInt64>.self)
            for half in [halves.x, halves.y] {
                // Bytes summed in pairs, then by a multiplication.
                let pairs = (half & 0x00FF_00FF_00FF_00FF) &+ ((half >> 8) & 0x00FF_00FF_00FF_00FF)
                total += Int((pairs &* 0x0001_0001_0001_0001) >> 48)
            }
        }
        while i < bytes.count {
            if byteFits(bytes[i]) { total += 1 }
            i += 1
        }
        return total
    }
}
