/// XXH64, by which damage to stored bytes is found; it protects against accidents, not against anyone.
struct Checksum {
    private static let p1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let p2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let p3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let p4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let p5: UInt64 = 0x27D4_EB2F_1656_67C5

    private let seed: UInt64
    private var lanes: (UInt64, UInt64, UInt64, UInt64)
    private var count: UInt64 = 0
    /// What did not fill a stripe of 32 bytes.
    private var rest: [UInt8] = []

    init(seed: UInt64 = 0) {
        self.seed = seed
        lanes = (seed &+ Self.p1 &+ Self.p2, seed &+ Self.p2, seed, seed &- Self.p1)
        rest.reserveCapacity(64)
    }

    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var checksum = Checksum(seed: seed)
        checksum.update(bytes)
        return checksum.value
    }

    /// Sixteen digits.
    static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = bytes
        if !rest.isEmpty {
            let taken = min(32 - rest.count, bytes.count)
            rest.append(contentsOf: bytes.prefix(taken))
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken))
            guard rest.count == 32 else { return }
            let stripe = rest
            stripe.withUnsafeBytes { consume($0) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.count & ~31
        if whole > 0 { consume(UnsafeRawBufferPointer(rebasing: bytes[..<whole])) }
        rest.append(contentsOf: bytes[whole...])
    }

    /// The checksum of what came so far.
    var value: UInt64 {
        var hash: UInt64
        if count >= 32 {
            let (a, b, c, d) = lanes
            hash = Self.rotated(a, 1) &+ Self.rotated(b, 7) &+ Self.rotated(c, 12) &+ Self.rotated(d, 18)
            for lane in [a, b, c, d] { hash = (hash ^ Self.round(0, lane)) &* Self.p1 &+ Self.p4 }
        } else {
            hash = seed &+ Self.p5
        }
        hash &+= count
        rest.withUnsafeBytes { rest in
            var index = 0
            while index + 8 <= rest.count {
                hash ^= Self.round(0, UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
                hash = Self.rotated(hash, 27) &* Self.p1 &+ Self.p4
                index += 8
            }
            if index + 4 <= rest.count {
                let word = UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: index, as: UInt32.self))
                hash ^= UInt64(word) &* Self.p1
                hash = Self.rotated(hash, 23) &* Self.p2 &+ Self.p3
                index += 4
            }
            while index < rest.count {
                hash ^= UInt64(rest[index]) &* Self.p5
                hash = Self.rotated(hash, 11) &* Self.p1
                index += 1
            }
        }
        hash = (hash ^ (hash >> 33)) &* Self.p2
        hash = (hash ^ (hash >> 29)) &* Self.p3
        return hash ^ (hash >> 32)
    }

    private mutating func consume(_ bytes: UnsafeRawBufferPointer) {
        var (a, b, c, d) = lanes
        var index = 0
        while index + 32 <= bytes.count {
            a = Self.round(a, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            b = Self.round(b, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self)))
            c = Self.round(c, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 16, as: UInt64.self)))
            d = Self.round(d, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 24, as: UInt64.self)))
            index += 32
        }
        lanes = (a, b, c, d)
    }

    @inline(__always)
    private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotated(lane &+ input &* p2, 31) &* p1
    }
}
