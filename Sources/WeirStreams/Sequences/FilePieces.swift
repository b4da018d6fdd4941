import Dispatch
public import Foundation

/// The bytes of a file, a pipe or standard input in pieces, as they can be read: `FileHandle.standardInput.pieces.streamed.lines()`.
///
/// Reading waits on a thread of its own and not on those of Swift's tasks; a cancelled task stops waiting within a tenth of a second. The
/// handle is kept open while a sequence or an iterator of it is there, and is not closed by them.
public struct FilePieces: AsyncSequence, Sendable {
    /// A piece: never empty, at most 64 KiB.
    public typealias Element = [UInt8]
    /// Any error: `CancellationError`, or the system's as a `POSIXError`.
    public typealias Failure = any Error

    private let handle: FileHandle

    init(_ handle: FileHandle) { self.handle = handle }

    /// Begins to read where the handle is.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(handle: handle) }

    /// Reads pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private static let size = 64 << 10
        private static let queue = DispatchQueue(label: "weir-file-pieces", attributes: .concurrent)

        let handle: FileHandle
        private var isOver = false

        init(handle: FileHandle) { self.handle = handle }

        /// The next piece, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            if isOver { return nil }
            let descriptor = handle.fileDescriptor
            // A handle that was closed meanwhile.
            guard descriptor >= 0 else { throw POSIXError(.EBADF) }
            while true {
                try Task.checkCancellation()
                let result = await withCheckedContinuation { continuation in
                    Self.queue.async { continuation.resume(returning: Self.read(descriptor)) }
                }
                switch result {
                case .success(let piece?):
                    if piece.isEmpty { isOver = true }
                    return piece.isEmpty ? nil : piece
                case .success(nil): continue
                case .failure(let error):
                    isOver = true
                    throw error
                }
            }
        }

        /// The next piece, or nil at the end.
        public nonisolated(nonsending) mutating func next() async throws -> [UInt8]? {
            try await next(isolation: #isolation)
        }

        /// Waits a tenth of a second for bytes, and reads them; nil when none came, empty at the end.
        private static func read(_ descriptor: Int32) -> Result<[UInt8]?, POSIXError> {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&wait, 1, 100)
            if ready == 0 || (ready < 0 && errno == EINTR) { return .success(nil) }
            var count = 0
            let piece = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
                count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                initialized = Swift.max(count, 0)
            }
            if count >= 0 { return .success(piece) }
            if errno == EINTR || errno == EAGAIN { return .success(nil) }
            return .failure(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
    }
}

extension FileHandle {
    /// The bytes from where the handle is, in pieces as they can be read.
    public var pieces: FilePieces { FilePieces(self) }
}
