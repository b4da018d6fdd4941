import WeirModel

/// A file of records that is being read, whichever of the formats it is in: bytes go in as they come, units come out.
///
/// A state machine without I/O; the format is told by the first bytes.
package struct RecordingStream {
    /// How many bytes tell the format: white space and a key.
    private static let enough = 1 << 10

    /// What was seen before the format was known.
    private var seen: [UInt8] = []
    private var pages: HARReading?
    private var records: RecordReading?

    private let dependencies: Recording.Dependencies

    /// Begins to read.
    ///
    /// - Parameter dependencies: Whether the bodies in a HAR file are looked through for dependencies.
    package init(dependencies: Recording.Dependencies = .find()) {
        self.dependencies = dependencies
    }

    /// Takes bytes that follow.
    ///
    /// - Throws: ``Recording/Failure`` when the file is none of the formats from some byte on.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Recording.Failure) {
        if pages != nil {
            try pages?.take(bytes)
        } else if records != nil {
            try records?.take(bytes)
        } else {
            seen += bytes
            let content = seen.dropFirst(seen.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
                .drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if content.count >= Self.enough { try decide() }
        }
    }

    private mutating func decide() throws(Recording.Failure) {
        let bytes = seen
        seen = []
        switch RecordingReader.format(of: bytes) {
        case .har:
            pages = HARReading(dependencies)
            try bytes.withUnsafeRawBytes { bytes throws(Recording.Failure) in try pages?.take(bytes) }
        case .records:
            records = RecordReading()
            try bytes.withUnsafeRawBytes { bytes throws(Recording.Failure) in try records?.take(bytes) }
        }
    }

    /// Ends the reading: all bytes have been taken.
    ///
    /// - Throws: ``Recording/Failure`` when the file as a whole is none of the formats.
    package consuming func finish() throws(Recording.Failure) -> RecordingUnits {
        if pages == nil, records == nil { try decide() }
        if let records { return RecordingUnits(try records.finish()) }
        return RecordingUnits(pages: try (pages ?? HARReading(dependencies)).finish())
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` that keeps the type of what is thrown.
    func withUnsafeRawBytes<Value, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result: Result<Value, Failure> = withUnsafeBytes { bytes in
            do throws(Failure) {
                return .success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// The units of work of a file that has been read, made one at a time.
package struct RecordingUnits {
    private var pages: HARUnits?
    private var rest: ArraySlice<Recording.Unit> = []
    /// What the file told, without its units; complete when there is no further unit.
    package private(set) var recording: Recording

    init(pages: HARUnits) {
        self.pages = pages
        recording = pages.recording
    }

    init(_ recording: Recording) {
        rest = recording.units[...]
        self.recording = recording
        self.recording.units = []
    }

    /// The units that are still to come, without their records.
    package var remaining: [Recording.Unit] {
        if let pages { return pages.remaining }
        return rest.map { unit in
            var unit = unit
            unit.records = []
            return unit
        }
    }

    /// Leaves out the units that do not fit; their records are never made.
    package mutating func keep(where fits: (Recording.Unit) -> Bool) {
        pages?.keep(where: fits)
        rest = rest.filter(fits)[...]
    }

    /// The next unit with its records.
    package mutating func next() -> Recording.Unit? {
        guard pages != nil else { return rest.popFirst() }
        let unit = pages?.next()
        if let told = pages?.recording { recording = told }
        return unit
    }
}
