import Foundation

/// Reads whole files and standard input, up to a size.
enum FileInput {
    /// Why a file cannot be read.
    enum Failure: Error, Hashable {
        case system(code: Int32)
        case tooLarge(limit: Int)
        case isDirectory
    }

    /// Reads a file, or a pipe that has a name.
    static func read(path: String, limit: Int) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure.system(code: errno) }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, limit: limit)
    }

    /// Reads a descriptor to its end.
    ///
    /// A cancelled task stops waiting within a tenth of a second.
    static func read(descriptor: Int32, limit: Int) throws -> Data {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure.system(code: errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw Failure.isDirectory }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        var data = Data()
        if isFile, status.st_size > 0 { data.reserveCapacity(min(Int(status.st_size), limit)) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try Task.checkCancellation()
            if !isFile {
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = poll(&wait, 1, 100)
                if ready == 0 { continue }
                if ready < 0, errno != EINTR { throw Failure.system(code: errno) }
                if ready < 0 { continue }
            }
            let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return data }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw Failure.system(code: errno)
            }
            if count > limit - data.count { throw Failure.tooLarge(limit: limit) }
            data.append(contentsOf: buffer[..<count])
        }
    }
}

extension FileInput.Failure: CustomStringConvertible {
    var description: String {
        switch self {
        case .system(let code): String(cString: strerror(code))
        case .tooLarge(let limit): "it is larger than \(limit / 1_000_000) MB"
        case .isDirectory: "it is a directory"
        }
    }
}
