/// Short strings of ASCII, made without a call.
///
/// The standard library keeps up to fifteen bytes in the string itself: the bytes from the lowest on, and in the last byte their number
/// with bits that say that they are here and ASCII. What makes strings of bytes looks at each byte first, which the scan has done.
enum SmallString {
    /// The longest one.
    static let capacity = 15

    /// The string of bytes that are ASCII, or nil if it has to be made in the usual way.
    ///
    /// - Parameters:
    ///   - text: The bytes; sixteen may be read.
    ///   - count: How many there are.
    @inline(__always)
    static func make(_ text: UnsafeRawPointer, _ count: Int) -> String? {
        #if canImport(Darwin) || !(arch(x86_64) || arch(arm64))
        // Where the standard library is the system's, it is not for us to say what a string is.
        return nil
        #else
        guard count <= capacity, count > 0, isLayoutKnown else { return nil }
        var first = UInt64(littleEndian: text.loadUnaligned(as: UInt64.self))
        var second = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let bits = UInt64(truncatingIfNeeded: count &* 8)
        if count < 8 {
            first &= (1 &<< bits) &- 1
            second = 0
        } else {
            // Fewer than 64 bits, since there are fewer than sixteen bytes.
            second &= (1 &<< (bits &- 64)) &- 1
        }
        second |= (0xE0 | UInt64(truncatingIfNeeded: count)) &<< 56
        return unsafeBitCast((first, second), to: String.self)
        #endif
    }

    #if !canImport(Darwin) && (arch(x86_64) || arch(arm64))
    /// Whether strings are what is said above, looked at rather than taken for granted.
    private static let isLayoutKnown: Bool = {
        guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
        func words(_ bytes: [UInt8]) -> (UInt64, UInt64) {
            unsafeBitCast(String(decoding: bytes, as: UTF8.self), to: (UInt64, UInt64).self)
        }
        return words([0x61]) == (0x61, 0xE1 << 56)
            && words(Array(0x61...0x68)) == (0x6867_6665_6463_6261, 0xE8 << 56)
            && words(Array(0x61...0x6F)) == (0x6867_6665_6463_6261, 0xEF6F_6E6D_6C6B_6A69)
    }()
    #endif
}
