public import Foundation
import WeirModel

/// Reads HTTP archives: HAR 1.1 and 1.2 as browsers, proxies and test tools really write them.
///
/// Lenient by entry: one that cannot be read is skipped and listed, with its index and the reason; the others are
/// read. What a file leaves out, or writes as -1, null or "", is unknown, never 0.
public enum HARReader {
    /// Reads an archive.
    ///
    /// Each page is a unit of work, and its records are in the order of their starts; a record's id is the index of its
    /// first entry. Redirects, which HAR writes as an entry for each hop, are joined into one record.
    ///
    /// - Parameters:
    ///   - data: The file, not compressed.
    ///   - dependencies: Whether bodies and headers are looked through for values that flow from one request to another.
    /// - Throws: ``Recording/Failure`` when the file as a whole is no HAR.
    public static func read(
        _ data: Data, dependencies: Recording.Dependencies = .find()
    ) throws(Recording.Failure) -> Recording {
        try read(bytes: [UInt8](data), dependencies: dependencies)
    }

    /// Reads an archive from bytes.
    package static func read(
        bytes: [UInt8], dependencies: Recording.Dependencies = .find()
    ) throws(Recording.Failure) -> Recording {
        var reading = HARReading(dependencies, capacity: min(bytes.count + 1, HARReading.bufferSize))
        try bytes.withUnsafeRawBytes { bytes throws(Recording.Failure) in try reading.take(bytes) }
        var pages = try reading.finish()
        var units: [Recording.Unit] = []
        while let unit = pages.next() { units.append(unit) }
        var recording = pages.recording
        recording.units = units
        return recording
    }
}
