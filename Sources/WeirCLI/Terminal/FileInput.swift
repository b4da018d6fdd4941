import Foundation

/// Reads files and standard input, up to a size, whole or piece by piece.
enum FileInput {
    /// Why a file cannot be read.
    enum Failure: Error, Hashable {
        case system(code: Int32)
        case tooLarge(limit: Int)
        case isDirectory
    }

    /// Reads a file, or a pipe that has a name.
    static func read(path: String, limit: Int) throws -> Data {
        try withDescriptor(path) { try read(descriptor: $0, limit: limit) }
    }

    /// Reads a descriptor to its end.
    ///
    /// A cancelled task stops waiting within a tenth of a second.
    static func read(descriptor: Int32, limit: Int) throws -> Data {
        var data = Data()
        if let size = try size(of: descriptor) { data.reserveCapacity(min(size, limit)) }
        try forEachPiece(descriptor: descriptor, limit: limit) { data.append(contentsOf: $0) }
        return data
    }

    /// Reads a file piece by piece, as it comes.
    static func forEachPiece(path: String, limit: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try withDescriptor(path) { try forEachPiece(descriptor: $0, limit: limit, body) }
    }

    /// Reads a descriptor to its end, piece by piece.
    ///
    /// A cancelled task stops waiting within a tenth of a second.
    static func forEachPiece(
        descriptor: Int32, limit: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let isFile = try size(of: descriptor) != nil
        var total = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 64)
        defer { buffer.deallocate() }
        while true {
            try Task.checkCancellation()
            if !isFile {
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = poll(&wait, 1, 100)
                if ready == 0 { continue }
                if ready < 0, errno != EINTR { throw Failure.system(code: errno) }
                if ready < 0 { continue }
            }
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count == 0 { return }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw Failure.system(code: errno)
            }
            if count > limit - total { throw Failure.tooLarge(limit: limit) }
            total += count
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private static func withDescriptor<Result>(_ path: String, _ body: (Int32) throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure.system(code: errno) }
        defer { close(descriptor) }
        return try body(descriptor)
    }

    /// The size of a regular file; nil for a pipe or a device.
    private static func size(of descriptor: Int32) throws -> Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure.system(code: errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw Failure.isDirectory }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
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
