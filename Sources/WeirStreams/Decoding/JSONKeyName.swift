/// The text of a key of a type, as it is compared with a document's, so that the type is asked for it once.
///
/// Keys are mostly cases of an enumeration without values, of one byte: the byte tells which text it is.
struct JSONKeyName {
    /// How many keys of a type are remembered: those whose byte is less.
    static let capacity = 64
    /// The longest text that is remembered.
    private static let longest = 16

    /// Its length; no key's length when nothing is remembered.
    private(set) var count = UInt32.max
    /// The first eight bytes and the last eight, or all of them twice.
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    /// Which bits of them count.
    private var mask: UInt64 = 0

    var isKnown: Bool { count != .max }

    init() {}

    /// The text of a key of a document; nil when it is long, or not ASCII, and thus may be equal to other bytes.
    ///
    /// - Parameter text: Eight more bytes may be read behind it.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        guard text.count <= Self.longest, let base = UnsafeRawPointer(text.baseAddress),
            text.allSatisfy({ $0 < 0x80 })
        else { return nil }
        count = UInt32(truncatingIfNeeded: text.count)
        mask = text.count >= 8 ? ~0 : (1 &<< UInt64(truncatingIfNeeded: text.count &* 8)) &- 1
        first = UInt64(littleEndian: base.loadUnaligned(as: UInt64.self)) & mask
        last =
            UInt64(littleEndian: base.loadUnaligned(fromByteOffset: max(text.count &- 8, 0), as: UInt64.self)) & mask
    }

    /// Whether a text of the same length is the same.
    ///
    /// - Parameter text: Eight more bytes may be read behind it.
    @inline(__always)
    func equals(_ text: UnsafeRawPointer) -> Bool {
        let begin = UInt64(littleEndian: text.loadUnaligned(as: UInt64.self))
        let rest = count > 8 ? Int(count &- 8) : 0
        let end = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: rest, as: UInt64.self))
        return ((begin & mask) ^ first) | ((end & mask) ^ last) == 0
    }

    /// Whether the texts of a type's keys may be remembered: an enumeration's of one byte.
    ///
    /// A key of another type may be anything, such as text itself.
    static func mayRemember<Key>(_ type: Key.Type) -> Bool {
        #if canImport(Darwin)
        false
        #else
        // The first word of a type's metadata is its kind; 0x201 is an enumeration's.
        MemoryLayout<Key>.size == 1 && _isPOD(type)
            && unsafeBitCast(type as Any.Type, to: UnsafePointer<UInt>.self).pointee == 0x201
        #endif
    }
}
