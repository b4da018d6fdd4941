#if arch(x86_64) && canImport(_Builtin_intrinsics.intel.sse2)
// The compiler's own headers: of SSE2, which every such processor has, the one instruction that no Swift becomes.
import _Builtin_intrinsics.intel.sse2
#endif

/// Which bytes of a block stop a scan of a JSON text, as bits: the first byte is the lowest.
enum JSONMasks {
    /// Of sixteen bytes those that are quotes, backslashes, control characters or not ASCII.
    @inline(__always)
    static func marked(_ block: SIMD16<UInt8>) -> UInt32 {
        // Signed, all that is not ASCII is below a space too.
        let low = unsafeBitCast(block, to: SIMD16<Int8>.self) .< SIMD16<Int8>(repeating: 0x20)
        return bits(
            (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\"")))
                .| (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))) .| low)
    }

    /// Of sixteen bytes those that are backslashes.
    @inline(__always)
    static func backslashes(_ block: SIMD16<UInt8>) -> UInt32 {
        bits(block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\\")))
    }

    /// Of sixteen bytes those that are quotes, backslashes or control characters.
    @inline(__always)
    static func stops(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\"")))
            .| (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\\")))
            .| (block .< SIMD16<UInt8>(repeating: 0x20))
    }

    /// The bits of four blocks, the first one's lowest.
    @inline(__always)
    static func bits(
        _ first: SIMDMask<SIMD16<Int8>>, _ second: SIMDMask<SIMD16<Int8>>, _ third: SIMDMask<SIMD16<Int8>>,
        _ fourth: SIMDMask<SIMD16<Int8>>
    ) -> UInt64 {
        (UInt64(bits(first)) | UInt64(bits(second)) << 16) | (UInt64(bits(third)) | UInt64(bits(fourth)) << 16) << 32
    }

    #if arch(x86_64) && canImport(_Builtin_intrinsics.intel.sse2)

    @inline(__always)
    private static func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt32 {
        UInt32(truncatingIfNeeded: _mm_movemask_epi8(unsafeBitCast(mask, to: __m128i.self)))
    }

    #else

    @inline(__always)
    private static func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt32 {
        let lanes = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        return gathered(UInt64(littleEndian: lanes.x)) | gathered(UInt64(littleEndian: lanes.y)) << 8
    }

    /// One bit of each of eight bytes that are all ones or all zeros: the multiplication adds them up in the highest byte.
    @inline(__always)
    private static func gathered(_ lanes: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((lanes & 0x8040_2010_0804_0201) &* 0x0101_0101_0101_0101) >> 56)
    }

    #endif
}
