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

/// The system's calls on a cache's files.
///
/// A file is complete when it has its name: it is written under another name first. Nothing is forced to the disk: after a
/// crash of the machine a file may be short or empty, which its checksum tells, and then the response is merely not stored.
enum CacheFile {
    /// Makes a file that only its owner can read; the descriptor is the caller's to close.
    static func create(_ path: String) -> Int32? {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Opens an ordinary file; the descriptor is the caller's to close.
    static func openForReading(_ path: String) -> (descriptor: Int32, size: Int64)? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        return (descriptor, Int64(status.st_size))
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = systemWrite(descriptor, base, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    /// Reads as many bytes as there are, at most the buffer's; nil on an error.
    static func read(_ descriptor: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var count = 0
        while count < buffer.count, let base = buffer.baseAddress {
            let found = pread(descriptor, base + count, buffer.count - count, off_t(offset) + off_t(count))
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { return nil }
            if found == 0 { break }
            count += found
        }
        return count
    }

    static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

    static func remove(_ path: String) { unlink(path) }

    static func rename(_ path: String, to target: String) -> Bool { systemRename(path, target) == 0 }

    /// Sets the time of the last use, in seconds since 1970.
    static func touch(_ path: String, _ time: Double) {
        let seconds = max(0, min(time, 1e11))
        let whole = seconds.rounded(.down)
        let value = timespec(tv_sec: time_t(whole), tv_nsec: Int((seconds - whole) * 1e9))
        var times = [value, value]
        utimensat(AT_FDCWD, path, &times, 0)
    }

    /// The size and the time of the last change, in seconds since 1970, of an ordinary file.
    static func status(_ path: String) -> (size: Int64, time: Double)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return (Int64(status.st_size), Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
    }

    /// What tells a file from the one that had its name before, and from the same one written again.
    struct Identity: Equatable {
        var number: UInt64
        var seconds: Int64
        var nanoseconds: Int64
    }

    /// Which file has a name; nil when there is none.
    static func identity(_ path: String) -> Identity? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_ctimespec
        #else
        let time = status.st_ctim
        #endif
        return Identity(number: UInt64(status.st_ino), seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// The names in a folder.
    static func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemRename(_ path: String, _ target: String) -> Int32 { rename(path, target) }

/// The body of a stored response in a file that was found whole, and that stays readable when its name is gone.
final class CachedFile: Sendable {
    private static let pieceSize = 256 * 1024

    private let descriptor: Int32
    let count: Int64

    /// Opens a body and reads it through; nil when it is not what was stored.
    init?(_ path: String, count: Int64, checksum: UInt64) {
        guard let (descriptor, size) = CacheFile.openForReading(path) else { return nil }
        self.descriptor = descriptor
        self.count = count
        guard size == count, Self.checksum(descriptor, count) == checksum else { return nil }
    }

    deinit { CacheFile.close(descriptor) }

    private static func checksum(_ descriptor: Int32, _ count: Int64) -> UInt64? {
        var checksum = Checksum()
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(Int64(pieceSize), max(1, count))), alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < count {
            guard let found = CacheFile.read(descriptor, at: offset, into: buffer), found > 0 else { return nil }
            checksum.update(UnsafeRawBufferPointer(rebasing: buffer[..<found]))
            offset += Int64(found)
        }
        return offset == count ? checksum.value : nil
    }

    func read(at offset: Int64, atMost most: Int) -> [UInt8]? {
        let size = Int(max(0, min(Int64(most), count - offset)))
        var isRead = true
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let found = CacheFile.read(descriptor, at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            isRead = found == size
            count = found ?? 0
        }
        return isRead ? bytes : nil
    }

    func data() -> Data? {
        guard count > 0 else { return Data() }
        guard count <= Int64(Int.max), let memory = malloc(Int(count)) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: Int(count))
        guard CacheFile.read(descriptor, at: 0, into: buffer) == Int(count) else {
            free(memory)
            return nil
        }
        return Data(bytesNoCopy: memory, count: Int(count), deallocator: .free)
    }
}
