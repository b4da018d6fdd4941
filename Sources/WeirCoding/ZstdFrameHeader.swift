/// Reads the header of a zstd frame byte by byte, for the window it asks for (RFC 8878, section 3.1.1.1).
struct ZstdFrameHeader {
    enum Answer: Equatable {
        case needsMore
        case complete
        case notAFrame
        case windowTooLarge(UInt64)
    }

    /// The largest window that HTTP allows, as a power of two (RFC 9659, section 3).
    static let windowLogLimit: Int32 = 23
    /// The largest window that HTTP allows, in bytes.
    static let windowLimit: UInt64 = 1 << 23

    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }

    /// Takes the next byte of the header.
    mutating func take(_ byte: UInt8) -> Answer {
        bytes.append(byte)
        switch bytes.count {
        case 1: return byte == 0x28 || byte & 0xF0 == 0x50 ? .needsMore : .notAFrame
        case 2: return byte == (isSkippable ? 0x2A : 0xB5) ? .needsMore : .notAFrame
        case 3: return byte == (isSkippable ? 0x4D : 0x2F) ? .needsMore : .notAFrame
        case 4: return byte == (isSkippable ? 0x18 : 0xFD) ? .needsMore : .notAFrame
        default: break
        }
        if isSkippable { return bytes.count < 8 ? .needsMore : .complete }
        let descriptor = bytes[4]
        // The reserved bit must be zero.
        if descriptor & 0b1000 != 0 { return .notAFrame }
        let isSingleSegment = descriptor & 0b10_0000 != 0
        let dictionarySize = [0, 1, 2, 4][Int(descriptor & 0b11)]
        let contentSizeSize = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let windowSize = isSingleSegment ? 0 : 1
        guard bytes.count == 5 + windowSize + dictionarySize + contentSizeSize else { return .needsMore }
        let window = isSingleSegment ? contentSize(contentSizeSize) : Self.window(bytes[5])
        return window > Self.windowLimit ? .windowTooLarge(window) : .complete
    }

    private var isSkippable: Bool { bytes.first != 0x28 }

    /// The content's size, in the last bytes of the header, lowest first; two bytes count from 256.
    private func contentSize(_ size: Int) -> UInt64 {
        let value = bytes.suffix(size).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 2 ? value + 256 : value
    }

    /// The window of a window descriptor: a power of two and eighths of it.
    private static func window(_ descriptor: UInt8) -> UInt64 {
        let base = UInt64(1) << (10 + UInt64(descriptor >> 3))
        return base + base / 8 * UInt64(descriptor & 0b111)
    }
}
