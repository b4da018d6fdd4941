import Foundation
import WeirReports

/// A file that is written beside its place and put there when it is complete, so that none is ever left half written.
struct ReplacedFile: ~Copyable {
    private let path: String
    private let temporary: String?
    private let descriptor: Int32
    private var buffer = Data()

    /// Begins a file; a pipe or a device of that name is written to directly.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether only its owner may read it.
    ///   - inputs: The files that the command reads: none of them is replaced, since what was in it would be lost.
    init(path: String, isPrivate: Bool, inputs: [String]) throws(CommandFailure) {
        if let input = inputs.first(where: { Self.isSame($0, path) }) {
            self.path = path
            temporary = nil
            descriptor = -1
            throw CommandFailure(
                "\(PrintableText(path).shortened(to: 80)): It is read by this command (\(PrintableText(input).shortened(to: 80))) "
                    + "and would be lost; name another file to write.",
                status: .usage)
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR {
            self.path = path
            temporary = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            // A link to a file stays one, and leads to the new file.
            let place = isThere ? Self.realPath(path) ?? path : path
            self.path = place
            let name = "\(place).\(getpid()).partial"
            temporary = name
            descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isPrivate ? 0o600 : 0o666)
        }
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
    }

    deinit {
        if descriptor >= 0 {
            close(descriptor)
            // Committed files are gone from there.
            if let temporary { unlink(temporary) }
        }
    }

    /// Adds bytes.
    mutating func write(_ data: Data) throws(CommandFailure) {
        buffer += data
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Puts the file in its place.
    mutating func commit() throws(CommandFailure) {
        try flush()
        if let temporary, rename(temporary, path) != 0 { throw Self.failure(path, errno) }
    }

    private mutating func flush() throws(CommandFailure) {
        var done = 0
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                Foundation.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            }
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                throw Self.failure(path, errno)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// Whether two paths lead to one file.
    private static func isSame(_ a: String, _ b: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(a, &first) == 0, stat(b, &second) == 0, first.st_mode & S_IFMT == S_IFREG else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            "\(PrintableText(path).shortened(to: 80)): It cannot be written: \(String(cString: strerror(code))).",
            status: .outputFailed)
    }
}
