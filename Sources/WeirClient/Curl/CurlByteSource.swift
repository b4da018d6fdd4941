#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Synchronization
import WeirCoding
import WeirEvidence

/// The body of an exchange for one reader: takes what the loop brings, undoes the coding, and finishes the task at the end.
///
/// `@unchecked Sendable`: what is not behind an atomic is touched by the one reader alone and, once that is gone, by the
/// one Swift task that `abandon` starts.
final class CurlByteSource: ByteSource, @unchecked Sendable {
    private static let decodedPieceSize = 64 * 1024

    private let task: CurlTask
    private let exchange: CurlTask.Exchange
    private let pipe: BodyPipe
    private let stateValue = Atomic<UInt8>(0)

    private var decoder: ContentDecoder?
    /// Coded bytes that the decoder has not taken yet.
    private var coded: ArraySlice<UInt8> = []
    /// Whether the decoder may have more without more coded bytes.
    private var mayHaveMore = false
    private var decodedCount: Int64 = 0
    private var hasher: BodyHasher?
    private var isOver = false
    private var failure: (any Error)?

    init(_ task: CurlTask, _ exchange: CurlTask.Exchange, _ pipe: BodyPipe) throws {
        self.task = task
        self.exchange = exchange
        self.pipe = pipe
        hasher = task.isObserved ? BodyHasher() : nil
        if exchange.isCoded {
            let limit = task.transport.settings.configuration.maximumDecodedBytes
            do {
                decoder = try ContentDecoder(chain: exchange.head.contentCodings, outputLimit: limit)
            } catch {
                throw URLError(error, url: exchange.request.url)
            }
        }
    }

    var state: HTTPSession.StreamTask.State {
        switch stateValue.load(ordering: .acquiring) {
        case 0: .running
        case 1: .canceling
        default: .completed
        }
    }

    func cancel() {
        guard stateValue.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged else {
            return
        }
        task.transport.loop.end(exchange.transfer, .cancelled)
        pipe.close()
    }

    func abandon() {
        guard stateValue.load(ordering: .acquiring) != 2 else { return }
        cancel()
        Task.detached { [self] in
            await pipe.drain()
            end(nil)
        }
    }

    nonisolated(nonsending) func next() async throws -> [UInt8]? {
        if let failure { throw failure }
        if isOver { return nil }
        do {
            let piece = try await withTaskCancellationHandler {
                try await nextPiece()
            } onCancel: {
                cancel()
            }
            if let piece {
                decodedCount += Int64(piece.count)
                if hasher != nil { piece.withUnsafeBytes { hasher?.update($0) } }
                if task.tap != nil { piece.withUnsafeBytes { task.tap?.responseBytes($0) } }
                return piece
            }
            try decoder?.finish()
        } catch let error as ContentCodingError {
            // The rest is of no use, but its end must be awaited: until then the loop has the exchange.
            task.transport.loop.end(exchange.transfer, .cancelled)
            pipe.close()
            await pipe.drain()
            throw end(URLError(error, url: exchange.request.url)) ?? error
        }
        if let error = end(nil) { throw error }
        return nil
    }

    private nonisolated(nonsending) func nextPiece() async throws -> [UInt8]? {
        while true {
            if let decoder, mayHaveMore || !coded.isEmpty {
                let piece = try decode(decoder)
                if !piece.isEmpty { return piece }
            }
            guard let bytes = await pipe.next() else {
                // A body that was cut short has not merely ended in the middle of its coding.
                if task.failure(of: exchange.transfer, exchange.request) != nil { decoder = nil }
                return nil
            }
            if decoder == nil { return bytes }
            coded = bytes[...]
        }
    }

    private func decode(_ decoder: ContentDecoder) throws(ContentCodingError) -> [UInt8] {
        var failure: ContentCodingError?
        let piece = [UInt8](unsafeUninitializedCapacity: Self.decodedPieceSize) { buffer, count in
            coded.withUnsafeBytes { input in
                do throws(ContentCodingError) {
                    let space = UnsafeMutableRawBufferPointer(buffer)
                    let progress = try decoder.decode(input, into: space)
                    count = progress.produced
                    mayHaveMore = progress.produced == space.count
                    coded = coded.dropFirst(progress.consumed)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        return piece
    }

    /// Finishes the task, the transfer being over.
    ///
    /// - Returns: Why the task failed, or nil.
    @discardableResult
    private func end(_ error: (any Error)?) -> (any Error)? {
        isOver = true
        let transferFailure = task.failure(of: exchange.transfer, exchange.request)
        let error = error ?? transferFailure
        failure = error
        let isWhole = error == nil && state == .running
        task.note(
            exchange.transfer, exchange.request, head: exchange.head, decoded: isWhole ? decodedCount : nil,
            digest: isWhole ? hasher?.digest() : nil)
        task.recycle(exchange.transfer)
        task.finish(error)
        stateValue.store(2, ordering: .releasing)
        return error
    }
}
#endif
