import Foundation
import WeirServer

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The files below a directory.
///
/// Each request looks at the file anew, so that a change is served at once. Names that begin with a dot are not served, but
/// for `.well-known` (RFC 8615). A symbolic link is followed as long as what it leads to is below the directory and not hidden.
struct FileFixtures: Fixtures {
    /// Up to this size a file is read whole; what is larger is read while it is sent.
    static let wholeSize = 64 << 20

    private let root: String
    private let name: String
    /// The part of the request's path that leads here, without the last slash.
    private let prefix: String

    /// Makes them; nil when there is no such directory.
    init?(directory: String, prefix: String = "") {
        guard let real = Self.realPath(directory) else { return nil }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: real, isDirectory: &isDirectory), isDirectory.boolValue else {
            return nil
        }
        root = real
        name = directory
        self.prefix = prefix
    }

    var summary: String { "the files of \(name)" }

    @concurrent func answer(_ request: LocalServer.Request) async -> LocalServer.Response {
        guard request.method == "GET" || request.method == "HEAD" else {
            return .problem(405, "Files are there for GET and HEAD.").adding("Allow", "GET, HEAD")
        }
        let path = Self.path(ofTarget: request.target)
        guard let segments = Self.segments(path, after: prefix) else {
            return .problem(404, "There is no file of this name.")
        }
        return serve(segments, endsWithSlash: path.last == UInt8(ascii: "/"), request)
    }

    private func serve(
        _ segments: [String], endsWithSlash: Bool, _ request: LocalServer.Request
    ) -> LocalServer.Response {
        let shown = "/" + segments.joined(separator: "/")
        guard let real = Self.realPath(([root] + segments).joined(separator: "/")), real == root || isBelow(real) else {
            return .problem(404, "There is no file \(shown) in \(name).")
        }
        var status = stat()
        guard stat(real, &status) == 0 else { return .problem(404, "There is no file \(shown) in \(name).") }
        if status.st_mode & S_IFMT == S_IFDIR {
            guard endsWithSlash || segments.isEmpty else {
                // Without the slash, what a page refers to would be looked for beside the directory.
                let target = Self.path(ofTarget: request.target)
                let query = request.target.utf8.dropFirst(target.count).prefix { $0 != UInt8(ascii: "#") }
                // Two slashes at the start would be read as the name of another host.
                let local = "/" + String(decoding: target.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
                return .redirect(to: local + "/" + (String(query) ?? ""), status: 301)
            }
            guard let index = Self.realPath(real + "/index.html"), isBelow(index) else {
                return .problem(404, "The directory \(shown) has no index.html.")
            }
            return file(index, request, shown)
        }
        guard status.st_mode & S_IFMT == S_IFREG, !endsWithSlash else {
            return .problem(404, "There is no file \(shown) in \(name).")
        }
        return file(real, request, shown)
    }

    /// Whether a path without links is of something below the directory that is not hidden: a link must not show what its name hides.
    private func isBelow(_ path: String) -> Bool {
        let start = root == "/" ? "/" : root + "/"
        guard path.utf8.starts(with: start.utf8) else { return false }
        return path.utf8.dropFirst(start.utf8.count).split(separator: UInt8(ascii: "/")).allSatisfy { name in
            name.first != UInt8(ascii: ".") || name.elementsEqual(".well-known".utf8)
        }
    }

    private func file(_ path: String, _ request: LocalServer.Request, _ shown: String) -> LocalServer.Response {
        guard let stamp = FileStamp(path: path) else { return .problem(404, "There is no file \(shown) in \(name).") }
        let tag = "\"\(String(stamp.seconds, radix: 36))-\(String(stamp.nanoseconds, radix: 36))-\(stamp.size)\""
        let headers = [
            ("Content-Type", MediaType.of(path: path)), ("ETag", tag), ("Last-Modified", stamp.httpDate),
            ("Cache-Control", "no-cache"),
        ]
        if isFresh(request, tag, stamp.httpDate) {
            return LocalServer.Response(status: 304, headers: Array(headers.dropFirst()))
        }
        if stamp.size > Self.wholeSize {
            return large(path, size: Int(stamp.size), headers, request, tag: tag, date: stamp.httpDate)
        }
        do {
            let data = try FileInput.read(path: path, limit: Self.wholeSize)
            return LocalServer.Response(headers: headers, body: [.bytes(data)])
        } catch {
            return .problem(403, "The file \(shown) cannot be read: \(error).")
        }
    }

    /// A file that is read while it is sent: all of it, or the range that is asked for (RFC 9110, section 14).
    private func large(
        _ path: String, size: Int, _ headers: [(String, String)], _ request: LocalServer.Request, tag: String,
        date: String
    ) -> LocalServer.Response {
        let headers = headers + [("Accept-Ranges", "bytes")]
        let validator = request.header("If-Range")
        let isSame = validator == nil || validator == tag || validator == date
        guard request.method == "GET", isSame, let range = request.header("Range").flatMap(ByteRange.init) else {
            return LocalServer.Response(
                headers: headers + [("Content-Length", String(size))],
                body: [.stream(FilePieces(path: path, range: 0..<size))])
        }
        guard let part = range.resolved(in: size) else {
            return LocalServer.Response(status: 416, headers: [("Content-Range", "bytes */\(size)")])
        }
        return LocalServer.Response(
            status: 206,
            headers: headers + [
                ("Content-Length", String(part.count)),
                ("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"),
            ], body: [.stream(FilePieces(path: path, range: part))])
    }

    /// Whether the client has this version (RFC 9110, section 13.2.2).
    private func isFresh(_ request: LocalServer.Request, _ tag: String, _ date: String) -> Bool {
        guard let wanted = request.header("If-None-Match") else { return request.header("If-Modified-Since") == date }
        // Our tags hold no commas.
        return wanted.split(separator: ",").contains { element in
            let element = element.trimmingCharacters(in: .whitespaces)
            return element == "*" || element == tag || element == "W/" + tag
        }
    }

    // MARK: - Paths

    /// The path of a request target, as sent; that of an absolute one, too (RFC 9112, section 3.2).
    static func path(ofTarget target: String) -> [UInt8] {
        var bytes = Array(target.utf8)
        if let end = bytes.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            bytes.removeSubrange(end...)
        }
        if bytes.first == UInt8(ascii: "/") { return bytes }
        let mark = Array("://".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else { return [] }
        guard let slash = bytes[(start + 3)...].firstIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: "/")] }
        return Array(bytes[slash...])
    }

    /// The names in a path, decoded; nil for one that cannot be, or must not be, a file's.
    static func segments(_ path: [UInt8], after prefix: String) -> [String]? {
        guard !path.isEmpty, path.starts(with: prefix.utf8) else { return nil }
        let rest = path.dropFirst(prefix.utf8.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for part in rest.split(separator: UInt8(ascii: "/")) {
            guard let name = decoded(part) else { return nil }
            // `.` and `..` are among those.
            if name.utf8.first == UInt8(ascii: "."), name != ".well-known" { return nil }
            segments.append(name)
        }
        return segments
    }

    /// A name without its escapes; nil if one of them is malformed, or is a slash, a backslash or a control character.
    private static func decoded(_ part: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            var value = byte
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return nil
                }
                value = high << 4 | low
            }
            guard value >= 0x20, value != 0x7F, value != UInt8(ascii: "/"), value != UInt8(ascii: "\\") else {
                return nil
            }
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// The path without links and dots; nil when there is no such file.
    static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// Bytes of a file, piece by piece.
struct FilePieces: AsyncSequence, Sendable {
    let path: String
    let range: Range<Int>

    /// Reads on.
    final class Iterator: AsyncIteratorProtocol {
        private let file: FileHandle?
        private var position: Int
        private var left: Int

        init(_ path: String, _ range: Range<Int>) {
            file = FileHandle(forReadingAtPath: path)
            position = range.lowerBound
            left = range.count
        }

        deinit { try? file?.close() }

        func next() async throws -> [UInt8]? {
            guard let file else { throw FileInput.Failure.system(code: ENOENT) }
            guard left > 0 else { return nil }
            try file.seek(toOffset: UInt64(position))
            guard let data = try file.read(upToCount: Swift.min(65_536, left)), !data.isEmpty else { return nil }
            position += data.count
            left -= data.count
            return Array(data)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(path, range) }
}
