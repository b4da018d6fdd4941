#if !canImport(Darwin)
import Foundation
import WeirModel
import FoundationNetworking
import Synchronization
import WeirCoding
import WeirEvidence

/// The body of a response for one reader: takes what the loop brings or what is stored, undoes the coding, and finishes the
/// task at the end.
///
/// `@unchecked Sendable`: what is not behind an atomic is touched by the one reader alone and, once that is gone, by the
/// one Swift task that `abandon` starts.
final class CurlByteSource: ByteSource, @unchecked Sendable {
    private static let decodedPieceSize = 64 * 1024
    private static let storedPieceSize = 64 * 1024

    private enum Origin {
        case transfer(CurlTask.Exchange, BodyPipe)
        case stored(CurlTask.StoredAnswer)
    }

    private let task: CurlTask
    private let origin: Origin
    /// How much of what is stored was read.
    private var storedOffset: Int64 = 0
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

    convenience init(_ task: CurlTask, _ exchange: CurlTask.Exchange, _ pipe: BodyPipe) throws {
        try self.init(
            task, .transfer(exchange, pipe), exchange.isCoded ? exchange.head.contentCodings : [], exchange.request.url)
    }

    convenience init(_ task: CurlTask, _ answer: CurlTask.StoredAnswer) throws {
        try self.init(task, .stored(answer), answer.isCoded ? answer.head.contentCodings : [], answer.url)
    }

    private init(_ task: CurlTask, _ origin: Origin, _ codings: [ContentCoding], _ url: URL) throws {
        self.task = task
        self.origin = origin
        hasher = task.isObserved ? BodyHasher() : nil
        guard !codings.isEmpty else { return }
        let limit = task.transport.settings.configuration.maximumDecodedBytes
        do {
            decoder = try ContentDecoder(chain: codings, outputLimit: limit)
        } catch {
            throw URLError(error, url: url)
        }
    }

    var taskID: UInt64? { task.delivery?.start.id }

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
        guard case .transfer(let exchange, let pipe) = origin else { return }
        task.transport.loop.end(exchange.transfer, .cancelled)
        pipe.close()
    }

    func abandon() {
        guard stateValue.load(ordering: .acquiring) != 2 else { return }
        cancel()
        Task.detached { [self] in
            if case .transfer(_, let pipe) = origin { await pipe.drain() }
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
                if !deliversCoded { examine(piece) }
                return piece
            }
            try decoder?.finish()
        } catch let error as ContentCodingError {
            if case .transfer(let exchange, let pipe) = origin {
                // The rest is of no use, but its end must be awaited: until then the loop has the exchange.
                task.transport.loop.end(exchange.transfer, .cancelled)
                pipe.close()
                await pipe.drain()
            }
            throw end(URLError(error, url: url)) ?? error
        } catch {
            throw end(error) ?? error
        }
        if let error = end(nil) { throw error }
        return nil
    }

    /// Whether the reader gets the coded bytes, and the decoded ones are only looked at.
    private var deliversCoded: Bool { task.transport.settings.configuration.deliversCodedBytes }

    /// Looks at bytes of the body, its coding undone.
    private func examine(_ piece: [UInt8]) {
        decodedCount += Int64(piece.count)
        if hasher != nil { piece.withUnsafeBytes { hasher?.update($0) } }
        if task.tap != nil { piece.withUnsafeBytes { task.tap?.responseBytes($0) } }
    }

    private nonisolated(nonsending) func nextPiece() async throws -> [UInt8]? {
        if deliversCoded { return try await nextCodedPiece() }
        while true {
            if let decoder, mayHaveMore || !coded.isEmpty {
                let piece = try decode(decoder)
                if !piece.isEmpty { return piece }
            }
            guard let bytes = try await nextReceived() else { return nil }
            if decoder == nil { return bytes }
            coded = bytes[...]
        }
    }

    private var url: URL {
        switch origin {
        case .transfer(let exchange, _): exchange.request.url
        case .stored(let answer): answer.url
        }
    }

    /// The next bytes as they were received, now or in the past.
    private nonisolated(nonsending) func nextReceived() async throws -> [UInt8]? {
        switch origin {
        case .transfer(let exchange, let pipe):
            guard let bytes = await pipe.next() else {
                // A body that was cut short has not merely ended in the middle of its coding.
                if task.failure(of: exchange.transfer, exchange.request) != nil { decoder = nil }
                return nil
            }
            exchange.saving?.append(bytes)
            return bytes
        case .stored(let answer):
            guard state == .running else { throw URLError(TransferFailure.cancelled, url: answer.url) }
            guard let bytes = answer.body.read(at: storedOffset, atMost: Self.storedPieceSize) else {
                throw URLError.unreadableBody(answer.url)
            }
            storedOffset += Int64(bytes.count)
            return bytes.isEmpty ? nil : bytes
        }
    }

    private nonisolated(nonsending) func nextCodedPiece() async throws -> [UInt8]? {
        guard let bytes = try await nextReceived() else { return nil }
        guard let decoder else {
            examine(bytes)
            return bytes
        }
        coded = bytes[...]
        while mayHaveMore || !coded.isEmpty {
            let before = coded.count
            let piece = try decode(decoder)
            examine(piece)
            if piece.isEmpty, coded.count == before { break }
        }
        return bytes
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
        var error = error
        switch origin {
        case .transfer(let exchange, _):
            let transferFailure = task.failure(of: exchange.transfer, exchange.request)
            error = error ?? transferFailure
            let isWhole = error == nil && state == .running
            if isWhole { exchange.saving?.commit() } else { exchange.saving?.abandon() }
            task.note(
                exchange.transfer, exchange.request, head: exchange.head, decoded: isWhole ? decodedCount : nil,
                digest: isWhole ? hasher?.digest() : nil)
            task.recycle(exchange.transfer)
        case .stored(let answer):
            if error == nil, state != .running { error = URLError(TransferFailure.cancelled, url: answer.url) }
            task.noteServed(
                answer, decoded: error == nil ? decodedCount : nil, digest: error == nil ? hasher?.digest() : nil)
        }
        failure = error
        task.finish(error)
        stateValue.store(2, ordering: .releasing)
        return error
    }
}
#endif
