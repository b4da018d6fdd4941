#if arch(x86_64) && canImport(_Builtin_intrinsics.intel.sse2)
// The compiler's own headers: of SSE2, which every such processor has, the one instruction that no Swift becomes.
import _Builtin_intrinsics.intel.sse2
#endif

// Masks of 16 and of 64 bytes to bits.
//
// A block's mask comes in an order of its own, which `ordered` turns into that of the bytes; where one instruction gathers the bits
// of 16 bytes, the two are the same. Elsewhere the order is what takes the fewest steps.
extension ByteKernels {
    @inline(__always)
    static func lanes(_ mask: SIMDMask<SIMD16<Int8>>) -> SIMD2<UInt64> {
        unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    }

    #if arch(x86_64) && canImport(_Builtin_intrinsics.intel.sse2)

    @inline(__always)
    private static func bits(_ lanes: SIMD2<UInt64>) -> UInt64 {
        UInt64(truncatingIfNeeded: _mm_movemask_epi8(unsafeBitCast(lanes, to: __m128i.self)))
    }

    /// The first lane of a mask that is set; 16 or more when none is.
    @inline(__always)
    static func firstLane(_ lanes: SIMD2<UInt64>) -> Int { bits(lanes).trailingZeroBitCount }

    /// The 64 bits of a block's four masks, in the order of the bytes.
    @inline(__always)
    static func gathered(
        _ m0: SIMD2<UInt64>, _ m1: SIMD2<UInt64>, _ m2: SIMD2<UInt64>, _ m3: SIMD2<UInt64>
    ) -> UInt64 {
        (bits(m0) | bits(m1) &<< 16) | (bits(m2) | bits(m3) &<< 16) &<< 32
    }

    @inline(__always)
    static func ordered(_ block: UInt64) -> UInt64 { block }

    @inline(__always)
    static func unordered(_ bits: UInt64) -> UInt64 { bits }

    /// The bytes within strings, and the quotes that open them, of a block's quotes.
    @inline(__always)
    static func strings(_ quotes: UInt64, _ inside: inout UInt64) -> UInt64 {
        var x = quotes
        x ^= x &<< 1
        x ^= x &<< 2
        x ^= x &<< 4
        x ^= x &<< 8
        x ^= x &<< 16
        x ^= x &<< 32
        x ^= inside
        inside = UInt64(bitPattern: Int64(bitPattern: x) &>> 63)
        return x
    }

    #else

    @inline(__always)
    static func firstLane(_ lanes: SIMD2<UInt64>) -> Int { PortableMasks.firstLane(lanes) }

    @inline(__always)
    static func gathered(
        _ m0: SIMD2<UInt64>, _ m1: SIMD2<UInt64>, _ m2: SIMD2<UInt64>, _ m3: SIMD2<UInt64>
    ) -> UInt64 {
        PortableMasks.gathered(m0, m1, m2, m3)
    }

    @inline(__always)
    static func ordered(_ block: UInt64) -> UInt64 { PortableMasks.ordered(block) }

    @inline(__always)
    static func unordered(_ bits: UInt64) -> UInt64 { PortableMasks.unordered(bits) }

    @inline(__always)
    static func strings(_ quotes: UInt64, _ inside: inout UInt64) -> UInt64 {
        PortableMasks.strings(quotes, &inside)
    }

    #endif
}
