#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import WeirCoding
import WeirEvidence
import WeirModel

extension CurlTask {
    /// Runs the task to its end, its body held in memory.
    nonisolated(nonsending) func data(
        for request: OutgoingRequest, _ options: Options, shared: HTTPSession.Coalescing
    ) async throws -> (Data, HTTPURLResponse) {
        if let key = Flight.Key(request, options, shared) { return try await join(key, request, options) }
        return try await data(for: request, options)
    }

    /// Runs the task, or the transfer of several, to its end.
    nonisolated(nonsending) func data(
        for request: OutgoingRequest, _ options: Options
    ) async throws -> (Data, HTTPURLResponse) {
        let limit = transport.settings.configuration.maximumDecodedBytes
        let exchange: Exchange
        switch try await respond(to: request, options, makeSink: { .collect(limit: limit) }) {
        case .stored(let answer): return try data(of: answer, limit: limit)
        case .exchange(let found): exchange = found
        }
        defer { recycle(exchange.transfer) }
        do {
            let body: Data
            if exchange.isCoded {
                body = try exchange.transfer.handle.body.withBytes { bytes in
                    try Self.decode(bytes, exchange.head, limit: limit, url: exchange.request.url)
                }
                exchange.saving?.commit(exchange.transfer.handle.body.take())
            } else {
                body = exchange.transfer.handle.body.take()
                exchange.saving?.commit(body)
            }
            tap?.responseBytes(body)
            note(
                exchange.transfer, exchange.request, head: exchange.head, decoded: Int64(body.count),
                digest: isObserved ? BodyHasher.digest(of: body) : nil)
            return (body, exchange.head.response)
        } catch {
            note(exchange.transfer, exchange.request, head: exchange.head, decoded: nil)
            throw error
        }
    }

    /// A stored response's body, in memory.
    private func data(of answer: StoredAnswer, limit: Int64) throws -> (Data, HTTPURLResponse) {
        guard var body = answer.body.data() else {
            noteServed(answer, decoded: nil, digest: nil)
            throw URLError.unreadableBody(answer.url)
        }
        if answer.isCoded {
            body = try body.withUnsafeBytes { try Self.decode($0, answer.head, limit: limit, url: answer.url) }
        } else if body.count > limit {
            throw URLError(TransferFailure.bodyTooLarge(limit: limit), url: answer.url)
        }
        tap?.responseBytes(body)
        noteServed(answer, decoded: Int64(body.count), digest: isObserved ? BodyHasher.digest(of: body) : nil)
        return (body, answer.head.response)
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, _ head: ResponseHead, limit: Int64, url: URL
    ) throws -> Data {
        var decoded = CollectedBody()
        do {
            guard let decoder = try ContentDecoder(chain: head.contentCodings, outputLimit: limit) else {
                return Data(bytes)
            }
            var rest = bytes
            var isFull = true
            while isFull || !rest.isEmpty {
                var failure: ContentCodingError?
                let hadRoom = decoded.append(atLeast: 16 * 1024) { space in
                    do throws(ContentCodingError) {
                        let progress = try decoder.decode(rest, into: space)
                        rest = UnsafeRawBufferPointer(rebasing: rest[progress.consumed...])
                        isFull = progress.produced == space.count
                        return progress.produced
                    } catch {
                        failure = error
                        return 0
                    }
                }
                if let failure { throw failure }
                guard hadRoom else {
                    throw ContentCodingError.limitExceeded(
                        decoder.coding, offset: decoder.inputCount, limit: Int64(decoded.count))
                }
            }
            try decoder.finish()
        } catch let error as ContentCodingError {
            throw URLError(error, url: url)
        }
        return decoded.take()
    }
}

extension URLError {
    /// A body whose content coding could not be undone.
    init(_ error: ContentCodingError, url: URL) {
        if case .limitExceeded(_, _, let limit) = error {
            self.init(TransferFailure.bodyTooLarge(limit: limit), url: url)
        } else {
            self.init(.cannotDecodeContentData, sentence: error.description, url: url)
        }
    }
}
#endif
