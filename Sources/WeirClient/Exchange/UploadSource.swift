import Foundation
import WeirEvidence
import WeirModel

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The body of a request.
enum RequestBody: Sendable {
    case none
    case data(Data)
    /// A file, which is read while it is sent.
    case file(URL)
    case stream(InputStreamFeed, size: Int64?)
    /// Zeros without end.
    case endless(UploadMeter)
}

/// A request's body on its way out, for one exchange.
///
/// `@unchecked Sendable`: like the exchange, it has one owner at a time.
final class UploadSource: @unchecked Sendable {
    enum Piece {
        case bytes(Int)
        case later
        case failed(String)
    }

    /// Up to this size a body goes out together with the request's head.
    private static let inlineLimit = 64 * 1024

    private enum Kind {
        case inline(UnsafeMutableRawBufferPointer)
        case data(Data)
        case file(descriptor: Int32)
        case stream(InputStreamFeed)
        case endless(UploadMeter)
    }

    private let kind: Kind
    private var position: Int64 = 0
    /// The size in bytes, or nil when it shows at the end only.
    let size: Int64?
    /// Sees the bytes that are read; nil when nobody asks for a digest.
    private var hasher: BodyHasher?
    private let wholeDigest: BodyDigest?

    /// Opens a body; nil when there is none.
    ///
    /// - Throws: `URLError` when a file cannot be read.
    init?(_ body: RequestBody, hashes: Bool) throws {
        switch body {
        case .none: return nil
        case .data(let data):
            size = Int64(data.count)
            wholeDigest = hashes ? BodyHasher.digest(of: data) : nil
            guard data.count <= Self.inlineLimit else {
                kind = .data(data)
                return
            }
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 1)
            data.copyBytes(to: bytes)
            kind = .inline(bytes)
        case .file(let url):
            let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.error(errno, url) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                Self.close(descriptor)
                throw URLError(.fileIsDirectory, sentence: "\(url.path) is not a regular file.")
            }
            size = Int64(status.st_size)
            kind = .file(descriptor: descriptor)
            wholeDigest = nil
            hasher = hashes ? BodyHasher() : nil
        case .stream(let feed, let size):
            kind = .stream(feed)
            self.size = size
            wholeDigest = nil
            hasher = hashes ? BodyHasher() : nil
        case .endless(let meter):
            kind = .endless(meter)
            size = nil
            wholeDigest = nil
            hasher = nil
        }
    }

    deinit {
        switch kind {
        case .inline(let bytes): bytes.deallocate()
        case .data, .endless: break
        case .file(let descriptor): Self.close(descriptor)
        case .stream(let feed): feed.close()
        }
    }

    /// The bytes that go out with the head, valid as long as the source.
    var inlineBytes: UnsafeRawBufferPointer? {
        if case .inline(let bytes) = kind { UnsafeRawBufferPointer(bytes) } else { nil }
    }

    /// Whether it has no end, so that an answer says that it is not taken.
    var isEndless: Bool { if case .endless = kind { true } else { false } }

    /// A digest of what was read.
    var digest: BodyDigest? { wholeDigest ?? hasher?.digest() }

    /// Begins to read ahead, where that is needed.
    ///
    /// - Returns: Whether the body can be sent (again).
    func begin(onReady: @escaping @Sendable () -> Void) -> Bool {
        if case .stream(let feed) = kind { feed.begin(onReady: onReady) } else { true }
    }

    /// Nothing more will be read.
    func end() { if case .stream(let feed) = kind { feed.close() } }

    /// Gives the next bytes; none at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Piece {
        var count = 0
        switch kind {
        case .inline(let bytes):
            count = min(buffer.count, bytes.count - Int(position))
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[Int(position)..<(Int(position) + count)]))
        case .data(let data):
            count = min(buffer.count, data.count - Int(position))
            let start = data.startIndex + Int(position)
            data.copyBytes(to: buffer, from: start..<(start + count))
        case .file(let descriptor):
            repeat {
                count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
            } while count < 0 && errno == EINTR
            if count < 0 { return .failed("The file could not be read: \(String(cString: strerror(errno))).") }
            let rest = (size ?? 0) - position
            if count == 0, rest > 0 { return .failed("The file became shorter while it was sent.") }
            count = Int(min(Int64(count), rest))
        case .stream(let feed):
            switch feed.read(into: buffer) {
            case .bytes(let found): count = found
            case .later: return .later
            case .failed(let message): return .failed(message)
            }
        case .endless(let meter):
            count = meter.take(upTo: buffer.count, at: .now)
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).initializeMemory(as: UInt8.self, repeating: 0)
        }
        position += Int64(count)
        hasher?.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return .bytes(count)
    }

    /// Goes back, for a second attempt on another connection.
    func rewind(to offset: Int64) -> Bool {
        if case .endless = kind { return true }
        if case .stream = kind { return offset == position }
        guard offset >= 0, offset <= size ?? 0 else { return false }
        // The digest is of the whole body: libcurl goes back to its start only.
        if hasher != nil { hasher = offset == 0 ? BodyHasher() : nil }
        position = offset
        return true
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
        _ = Darwin.close(descriptor)
        #elseif canImport(Glibc)
        _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #elseif canImport(Android)
        _ = Android.close(descriptor)
        #endif
    }

    private static func error(_ code: Int32, _ url: URL) -> URLError {
        switch code {
        case ENOENT, ENOTDIR: URLError(.fileDoesNotExist, sentence: "There is no file at \(url.path).")
        case EACCES, EPERM: URLError(.noPermissionsToReadFile, sentence: "The file at \(url.path) may not be read.")
        default: URLError(.cannotOpenFile, sentence: "\(url.path): \(String(cString: strerror(code))).")
        }
    }
}
