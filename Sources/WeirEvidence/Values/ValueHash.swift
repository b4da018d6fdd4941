/// A keyed 64-bit hash of a value: what is kept of it.
///
/// The key is random and lives as long as the process, so that a hash means nothing outside of it and cannot be guessed
/// from it. Multiplications folded to 64 bits, as in wyhash: a few nanoseconds for what an identifier has of bytes, where
/// the library's `Hasher` takes ten times as long.
package struct ValueHash: Sendable {
    /// What a hash is of; equal bytes of different kinds have different hashes.
    package enum Kind: UInt64, Sendable {
        case value = 0
        /// The name and the value of a cookie, with `=` between them.
        case cookie = 0x9E37_79B9_7F4A_7C15
        /// A URL without its query, or without what only tells the page in it.
        case route = 0xC2B2_AE3D_27D4_EB4F
    }

    private static let salt = (
        UInt64.random(in: 1 ... .max), UInt64.random(in: 1 ... .max), UInt64.random(in: 1 ... .max)
    )

    private let first: UInt64
    private let second: UInt64
    private let third: UInt64

    /// The hash of this process.
    package init() { (first, second, third) = Self.salt }

    /// The hash of some bytes; never 0.
    package func callAsFunction(_ bytes: UnsafeRawBufferPointer, _ kind: Kind = .value) -> UInt64 {
        var hash = first ^ kind.rawValue
        var i = 0
        while i + 16 < bytes.count {
            hash = Self.fold(Self.word(bytes, i) ^ second, Self.word(bytes, i + 8) ^ hash)
            i += 16
        }
        var low: UInt64 = 0
        var high: UInt64 = 0
        let rest = bytes.count - i
        if rest >= 8 {
            low = Self.word(bytes, i)
            high = Self.word(bytes, bytes.count - 8)
        } else if rest >= 4 {
            low = UInt64(bytes.loadUnaligned(fromByteOffset: i, as: UInt32.self))
            high = UInt64(bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self))
        } else if rest > 0 {
            low = UInt64(bytes[i]) << 16 | UInt64(bytes[i + rest >> 1]) << 8 | UInt64(bytes[bytes.count - 1])
        }
        hash = Self.fold(low ^ second, high ^ hash)
        return max(1, Self.fold(hash ^ third, UInt64(truncatingIfNeeded: bytes.count) ^ second))
    }

    /// The hash of a hash and a number.
    @inline(__always)
    package func combine(_ hash: UInt64, _ number: UInt64) -> UInt64 {
        max(1, Self.fold(hash ^ second, number ^ third))
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    /// The halves of a 128-bit product, folded.
    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}
