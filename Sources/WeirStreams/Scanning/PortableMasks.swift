/// Masks of bytes to bits by what every processor has, where ``ByteKernels`` knows no one instruction for it.
enum PortableMasks {
    /// The first lane of a mask that is set; 16 or more when none is.
    @inline(__always)
    static func firstLane(_ lanes: SIMD2<UInt64>) -> Int {
        let first = UInt64(littleEndian: lanes[0])
        if first != 0 { return first.trailingZeroBitCount &>> 3 }
        return 8 &+ (UInt64(littleEndian: lanes[1]).trailingZeroBitCount &>> 3)
    }

    /// The 64 bits of a block's four masks.
    ///
    /// Of the eight words of the masks, bit `j` of each byte of word `j`: bit `8k + j` is byte `8j + k` of the block, so that one
    /// transposition gives all 64 bits in order. It is a third of the work of gathering the bits of each word by a multiplication.
    @inline(__always)
    static func gathered(
        _ m0: SIMD2<UInt64>, _ m1: SIMD2<UInt64>, _ m2: SIMD2<UInt64>, _ m3: SIMD2<UInt64>
    ) -> UInt64 {
        let b0 = SIMD2<UInt64>(0x0101_0101_0101_0101, 0x0202_0202_0202_0202)
        let b1 = SIMD2<UInt64>(0x0404_0404_0404_0404, 0x0808_0808_0808_0808)
        let b2 = SIMD2<UInt64>(0x1010_1010_1010_1010, 0x2020_2020_2020_2020)
        let b3 = SIMD2<UInt64>(0x4040_4040_4040_4040, 0x8080_8080_8080_8080)
        let lanes = ((m0 & b0) | (m1 & b1)) | ((m2 & b2) | (m3 & b3))
        // Both halves by a shuffle, so that the compiler leaves all before in vectors.
        return (lanes | SIMD2<UInt64>(lanes[1], lanes[0]))[0]
    }

    /// The transposition of 8 by 8 bits (Hacker's Delight, 7-3).
    @inline(__always)
    static func ordered(_ block: UInt64) -> UInt64 {
        var x = block
        var t = (x ^ (x &>> 7)) & 0x00AA_00AA_00AA_00AA
        x ^= t ^ (t &<< 7)
        t = (x ^ (x &>> 14)) & 0x0000_CCCC_0000_CCCC
        x ^= t ^ (t &<< 14)
        t = (x ^ (x &>> 28)) & 0x0000_0000_F0F0_F0F0
        x ^= t ^ (t &<< 28)
        return x
    }

    /// The same: it is its own opposite.
    @inline(__always)
    static func unordered(_ bits: UInt64) -> UInt64 { ordered(bits) }

    /// The bytes within strings, and the quotes that open them, of a block's quotes; both still to be put in order.
    ///
    /// Before the transposition the eight bytes of a word are one bit in each byte, so that the parities within all eight words take
    /// three steps, and those of the words before three more on eight bits.
    @inline(__always)
    static func strings(_ quotes: UInt64, _ inside: inout UInt64) -> UInt64 {
        var x = quotes
        x ^= x << 8
        x ^= x << 16
        x ^= x << 32
        var words = x >> 56
        words ^= words << 1
        words ^= words << 2
        words ^= words << 4
        let before = ((words << 1) ^ inside) & 0xFF
        inside = UInt64(bitPattern: Int64(bitPattern: words << 56) &>> 63) ^ inside
        return x ^ (before &* 0x0101_0101_0101_0101)
    }
}
