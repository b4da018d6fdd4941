import Dispatch
import Foundation
import Synchronization
import WeirModel

/// Reads an `InputStream` ahead, on a queue of its own since its `read` may block, into a bounded buffer.
///
/// `@unchecked Sendable`: the stream is touched on `queue` alone; the rest is behind the lock.
final class InputStreamFeed: @unchecked Sendable {
    /// What the reader finds.
    enum Found {
        case bytes(Int)
        /// Nothing yet; `onReady` will be called.
        case later
        case failed(String)
    }

    private static let limit = 128 * 1024
    private static let pieceSize = 32 * 1024

    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
        var failure: String?
        var isReading = false
        var isStarving = false
        var isClosed = false
        var wasTaken = false
        var onReady: (@Sendable () -> Void)?
    }

    private let stream: InputStream
    private let queue = DispatchQueue(label: "weir.input-stream")
    private let state = Lock(State())

    init(_ stream: InputStream) { self.stream = stream }

    deinit { if stream.streamStatus != .notOpen { stream.close() } }

    /// Begins to read.
    ///
    /// - Returns: Whether nothing was read before: a stream cannot be read twice.
    func begin(onReady: @escaping @Sendable () -> Void) -> Bool {
        let isFresh = state.withLock { state in
            state.onReady = onReady
            return !state.wasTaken
        }
        if isFresh { readAhead() }
        return isFresh
    }

    /// Takes bytes that were read ahead.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Found {
        let found: Found = state.withLock { state in
            state.wasTaken = true
            if state.bytes.isEmpty {
                if let failure = state.failure { return .failed(failure) }
                if state.isAtEnd { return .bytes(0) }
                state.isStarving = true
                return .later
            }
            let count = min(buffer.count, state.bytes.count)
            state.bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            state.bytes.removeFirst(count)
            return .bytes(count)
        }
        readAhead()
        return found
    }

    /// Nothing more will be read.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.onReady = nil
        }
    }

    private func readAhead() {
        let shouldRead = state.withLock { state in
            guard !state.isReading, !state.isAtEnd, !state.isClosed, state.failure == nil,
                state.bytes.count < Self.limit
            else { return false }
            state.isReading = true
            return true
        }
        if shouldRead { queue.async { [self] in readPieces() } }
    }

    private func readPieces() {
        if stream.streamStatus == .notOpen { stream.open() }
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        var goesOn = true
        while goesOn {
            let count = stream.read(&piece, maxLength: piece.count)
            let message = count < 0 ? stream.streamError.map { "\($0)" } ?? "The stream failed." : nil
            let onReady: (@Sendable () -> Void)? = state.withLock { state in
                if count > 0 { state.bytes.append(contentsOf: piece[..<count]) }
                if count == 0 { state.isAtEnd = true }
                state.failure = message
                goesOn = count > 0 && !state.isClosed && state.bytes.count < Self.limit
                if !goesOn { state.isReading = false }
                guard state.isStarving else { return nil }
                state.isStarving = false
                return state.onReady
            }
            onReady?()
        }
    }
}
