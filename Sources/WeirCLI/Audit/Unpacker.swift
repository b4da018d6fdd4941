import WeirCoding

/// Decompresses a file as it comes, when its first bytes or its name say that it is compressed.
struct Unpacker {
    private let path: String
    private let limit: Int
    /// The first bytes, until they are enough to tell.
    private var start: [UInt8] = []
    private var isDecided = false
    private var decoder: ContentDecoder?
    private var output = [UInt8](repeating: 0, count: 1 << 17)

    /// - Parameter limit: The largest size after decompression.
    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Takes bytes that follow, and gives what they decompress to.
    mutating func take(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !isDecided else { return try decode(bytes, body) }
        start += bytes
        if start.count >= 4 { try decide(body) }
    }

    /// Says that there is no more input.
    mutating func finish(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if !isDecided { try decide(body) }
        try decoder?.finish()
    }

    private mutating func decide(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        isDecided = true
        if let coding = Self.coding(of: start, path: path) {
            decoder = try ContentDecoder(coding, outputLimit: Int64(limit))
        }
        let start = start
        self.start = []
        try start.withUnsafeBytes { try decode($0, body) }
    }

    private mutating func decode(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let decoder else { return try body(bytes) }
        var rest = bytes
        while true {
            let progress = try output.withUnsafeMutableBytes { output in
                let progress = try decoder.decode(rest, into: output)
                try body(UnsafeRawBufferPointer(rebasing: output[..<progress.produced]))
                return progress
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[progress.consumed...])
            if rest.isEmpty, progress.produced < output.count { return }
        }
    }

    /// The coding that the first bytes tell; Brotli has no such mark and is told by the file's name.
    static func coding(of start: [UInt8], path: String) -> ContentCoding? {
        if start.starts(with: [0x1F, 0x8B]) { return .gzip }
        if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        // RFC 1950, section 2.2: method 8, and a header that is a multiple of 31. No JSON text starts with an x.
        if start.count >= 2, start[0] & 0x0F == 8, start[0] >> 4 <= 7, (Int(start[0]) << 8 + Int(start[1])) % 31 == 0 {
            return .deflate
        }
        return path.utf8.suffix(3).elementsEqual(".br".utf8) ? .br : nil
    }
}
