public import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Files that hold one snapshot: two lines of JSON, the first of which tells the length and the checksum of the second.
///
/// A file is written beside its place, made durable, and put there in one step: whenever the app or the machine stops, there is
/// the old file or the new one. One that was damaged otherwise is told from a whole one.
public enum MetricsFile {
    private struct Header: Codable {
        var schema: String
        var bytes: Int
        var crc32: UInt32
    }

    /// What the first line says that the file is.
    static let schema = "weir-metrics-file-1"

    /// Writes a snapshot to a file; a link to a file stays one and leads to the new file.
    ///
    /// - Throws: A ``Problem``: also where the name is that of a folder, a device or a pipe, which is not replaced.
    public static func write(_ snapshot: MetricsSnapshot, to file: URL) throws(Problem) {
        let bytes: Data
        do {
            bytes = try data(of: snapshot)
        } catch {
            throw Problem(file: file.path, reason: .notMetrics("\(error)"))
        }
        let path = try place(of: file.path)
        let temporary = "\(path).\(getpid()).partial"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Problem(file: path, reason: .system(code: errno)) }
        var code = writeAll(bytes, to: descriptor)
        if code == 0, fsync(descriptor) != 0 { code = errno }
        if close(descriptor) != 0, code == 0 { code = errno }
        if code == 0, rename(temporary, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw Problem(file: path, reason: .system(code: code))
        }
        // The new name is durable once the folder is; where that cannot be asked for, the file is whole anyway.
        let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            _ = fsync(folder)
            close(folder)
        }
    }

    /// Where the file of a name is, links followed.
    private static func place(of path: String) throws(Problem) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { return path }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(file: path, reason: .system(code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENOTSUP))
        }
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Reads the snapshot of a file.
    ///
    /// - Throws: A ``Problem``, whose reason is `missing` where there is no file.
    public static func read(_ file: URL) throws(Problem) -> MetricsSnapshot {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            let isMissing = !FileManager.default.fileExists(atPath: file.path)
            throw Problem(file: file.path, reason: isMissing ? .missing : .unreadable("\(error.localizedDescription)"))
        }
        return try snapshot(of: data, file: file.path)
    }

    /// Reads a snapshot from the bytes of a file, or from a snapshot's JSON alone.
    ///
    /// - Parameter file: The name that a problem tells.
    public static func snapshot(of data: Data, file: String) throws(Problem) -> MetricsSnapshot {
        let (snapshot, end) = try first(in: data, file: file)
        let more = data[end...].count { !isSpace($0) }
        guard more == 0 else {
            throw Problem(file: file, reason: .notMetrics("\(more) bytes follow a snapshot that is whole."))
        }
        return snapshot
    }

    /// Reads all snapshots of a file, in which any number may follow one another: whole files of them, or one on each line.
    ///
    /// - Parameter file: The name that a problem tells.
    package static func snapshots(of data: Data, file: String) throws(Problem) -> [MetricsSnapshot] {
        var result: [MetricsSnapshot] = []
        var rest = data
        repeat {
            let (snapshot, end) = try first(in: rest, file: file)
            result.append(snapshot)
            rest = rest[end...].drop(while: isSpace)
        } while !rest.isEmpty
        return result
    }

    /// The first snapshot, and where it ends.
    private static func first(
        in data: Data, file: String
    ) throws(Problem) -> (snapshot: MetricsSnapshot, end: Data.Index) {
        let decoder = JSONDecoder()
        let lineEnd = data.firstIndex(of: 0x0A)
        guard isBegun(data) else {
            // One on each line, if there are more lines and the first is one; else one that is laid out over lines.
            if let lineEnd, data[lineEnd...].contains(where: { !isSpace($0) }),
                let one = try? decoder.decode(MetricsSnapshot.self, from: data[..<lineEnd])
            {
                return (one, lineEnd)
            }
            return (try decode(data, decoder, file), data.endIndex)
        }
        guard let lineEnd else { throw Problem(file: file, reason: .torn(expected: nil, found: data.count)) }
        guard let header = try? decoder.decode(Header.self, from: data[..<lineEnd]) else {
            return (try decode(data, decoder, file), data.endIndex)
        }
        guard header.schema == schema else {
            throw Problem(file: file, reason: .notMetrics("its schema is \"\(header.schema.prefix(40))\""))
        }
        let body = data[(lineEnd + 1)...]
        guard header.bytes >= 0, body.count >= header.bytes else {
            throw Problem(file: file, reason: .torn(expected: header.bytes, found: body.count))
        }
        let bytes = body.prefix(header.bytes)
        guard CRC32.of(bytes) == header.crc32 else { throw Problem(file: file, reason: .damaged) }
        return (try decode(Data(bytes), decoder, file), bytes.endIndex)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Whether bytes are the beginning of one of these files.
    package static func isBegun(_ data: Data) -> Bool { data.starts(with: Data(#"{"bytes":"#.utf8)) }

    /// The bytes of a snapshot's file.
    package static func data(of snapshot: MetricsSnapshot) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = try encoder.encode(snapshot)
        let header = Header(schema: schema, bytes: body.count, crc32: CRC32.of(body))
        return try encoder.encode(header) + [0x0A] + body + [0x0A]
    }

    private static func decode(_ data: Data, _ decoder: JSONDecoder, _ file: String) throws(Problem) -> MetricsSnapshot
    {
        do {
            return try decoder.decode(MetricsSnapshot.self, from: data)
        } catch let error as DecodingError {
            throw Problem(file: file, reason: .notMetrics(Problem.text(of: error)))
        } catch {
            throw Problem(file: file, reason: .notMetrics("\(error)"))
        }
    }

    /// Writes all bytes; the code of what went wrong, or 0.
    private static func writeAll(_ data: Data, to descriptor: Int32) -> Int32 {
        data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = Foundation.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
                if count >= 0 {
                    done += count
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }
}

/// The checksum of Ethernet and gzip (polynomial 0xEDB88320).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var value: UInt32 = .max
        for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8 }
        return ~value
    }
}
