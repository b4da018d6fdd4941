public import Foundation

/// Reads a file of records, whichever of the formats it is in.
public enum RecordingReader {
    /// Reads a HAR file or a record file, told apart by their first key.
    ///
    /// - Parameters:
    ///   - data: The file, not compressed.
    ///   - dependencies: Whether the bodies in a HAR file are looked through for dependencies; records have theirs already.
    /// - Throws: ``Recording/Failure`` when the file as a whole is neither.
    public static func read(
        _ data: Data, dependencies: Recording.Dependencies = .find()
    ) throws(Recording.Failure) -> Recording {
        try read(bytes: [UInt8](data), dependencies: dependencies)
    }

    /// Reads a HAR file or a record file from bytes.
    package static func read(
        bytes: [UInt8], dependencies: Recording.Dependencies = .find()
    ) throws(Recording.Failure) -> Recording {
        switch format(of: bytes) {
        case .har: return try HARReader.read(bytes: bytes, dependencies: dependencies)
        case .records: return try RecordReader.read(bytes: bytes)
        }
    }

    /// Reads a file as it comes, and hands over its units one at a time, so that a large one is never in memory whole.
    ///
    /// - Parameters:
    ///   - handle: The file or pipe, read to its end.
    ///   - dependencies: Whether the bodies in a HAR file are looked through for dependencies.
    ///   - body: Called with each unit of work and its records, which need not be kept.
    /// - Returns: The recording without its units.
    /// - Throws: ``Recording/Failure`` when the file as a whole is neither format, what reading throws, and what `body` throws.
    public static func read(
        from handle: FileHandle, dependencies: Recording.Dependencies = .find(),
        each body: (Recording.Unit) throws -> Void
    ) throws -> Recording {
        var stream = RecordingStream(dependencies: dependencies)
        while let data = try handle.read(upToCount: 1 << 17), !data.isEmpty {
            try data.withUnsafeBytes { try stream.take($0) }
        }
        var units = try stream.finish()
        while let unit = units.next() { try body(unit) }
        return units.recording
    }

    /// Whether a file is one of records, by its first bytes.
    package static func isRecordFile(_ bytes: [UInt8]) -> Bool { format(of: bytes) == .records }

    /// The format of a file: records start with an object whose first key is a record's, and all else is taken for HAR.
    static func format(of bytes: [UInt8]) -> Recording.Format {
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        func skipWhiteSpace() {
            while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        }
        skipWhiteSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else { return .har }
        position += 1
        skipWhiteSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return .har }
        let key = bytes[(position + 1)...].prefix(64).prefix { $0 != UInt8(ascii: "\"") }
        return recordKeys.contains { key.elementsEqual($0.utf8) } ? .records : .har
    }

    /// The keys of a record; none of them is one of a HAR file's root or entries.
    private static let recordKeys = [
        "attribution", "clockResolutionMilliseconds", "durationMilliseconds", "end", "failure", "id", "redirectCount",
        "schedulingDelayMilliseconds", "start", "transactions", "unit",
    ]

    /// Refuses what is not text, with a name for it.
    static func checkNotEmptyOrCompressed(_ bytes: [UInt8]) throws(Recording.Failure) {
        func failure(_ problem: Recording.Failure.Problem) -> Recording.Failure {
            Recording.Failure(problem, offset: 0, line: 1, column: 1)
        }
        guard bytes.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { throw failure(.empty) }
        try checkNotCompressed(bytes[...])
    }

    /// Refuses a file that begins as compressed ones do.
    static func checkNotCompressed(_ bytes: ArraySlice<UInt8>) throws(Recording.Failure) {
        func failure(_ problem: Recording.Failure.Problem) -> Recording.Failure {
            Recording.Failure(problem, offset: 0, line: 1, column: 1)
        }
        let magic: [([UInt8], String)] = [
            ([0x1F, 0x8B], "gzip"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), ([0x50, 0x4B, 0x03, 0x04], "zip"),
            ([0x78, 0x01], "zlib"), ([0x78, 0x5E], "zlib"), ([0x78, 0x9C], "zlib"), ([0x78, 0xDA], "zlib"),
            ([0x42, 0x5A, 0x68], "bzip2"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz"),
        ]
        for (start, name) in magic where bytes.starts(with: start) { throw failure(.compressed(name)) }
    }
}
