import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file that appears under its name when it is complete, and not at all otherwise.
struct FileSink: ~Copyable {
    private let handle: FileHandle
    private let temporary: URL
    private let destination: URL
    private var isDone = false

    /// Makes a temporary file beside the destination, so that the last step is a rename.
    ///
    /// A link is followed; what is not an ordinary file (a device, a pipe, a folder) is not replaced.
    init(_ destination: URL) throws {
        let destination = try Self.ordinaryFile(destination)
        let temporary = destination.deletingLastPathComponent()
            .appendingPathComponent(".\(destination.lastPathComponent).\(UInt64.random(in: 0 ... .max)).part")
        let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw URLError(
                .cannotCreateFile, sentence: "\(temporary.path) cannot be made: \(String(cString: strerror(errno))).")
        }
        self.destination = destination
        self.temporary = temporary
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func ordinaryFile(_ url: URL) throws -> URL {
        guard url.isFileURL else {
            throw URLError(.cannotCreateFile, sentence: "\(url.absoluteString) does not name a file.")
        }
        let file = url.resolvingSymlinksInPath()
        var status = stat()
        if stat(file.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw URLError(
                .cannotCreateFile, sentence: "\(file.path) is not an ordinary file, and is not replaced.")
        }
        return file
    }

    deinit { if !isDone { unlink(temporary.path) } }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(handle.fileDescriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw URLError(
                    .cannotWriteToFile,
                    sentence: "\(temporary.path) cannot be written: \(String(cString: strerror(errno))).")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the file its name, in place of what had it.
    consuming func commit() throws {
        guard rename(temporary.path, destination.path) == 0 else {
            throw URLError(
                .cannotMoveFile,
                sentence: "\(destination.path) cannot be replaced: \(String(cString: strerror(errno))).")
        }
        isDone = true
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes, count)
    #elseif canImport(Glibc)
    Glibc.write(descriptor, bytes, count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes, count)
    #elseif canImport(Android)
    Android.write(descriptor, bytes, count)
    #endif
}
