#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import WeirCoding
import WeirEvidence
import WeirModel

extension CurlTask {
    /// Runs the task to its end, its body held in memory.
    nonisolated(nonsending) func data(
        for request: OutgoingRequest, timeoutInterval: TimeInterval?
    ) async throws -> (Data, HTTPURLResponse) {
        let limit = transport.settings.configuration.maximumDecodedBytes
        let exchange = try await respond(to: request, timeoutInterval: timeoutInterval) { .collect(limit: limit) }
        defer { recycle(exchange.transfer) }
        do {
            let data = try exchange.isCoded ? decode(exchange, limit: limit) : exchange.transfer.handle.body.take()
            tap?.responseBytes(data)
            note(
                exchange.transfer, exchange.request, head: exchange.head, decoded: Int64(data.count),
                digest: isObserved ? BodyHasher.digest(of: data) : nil)
            return (data, exchange.head.response)
        } catch {
            note(exchange.transfer, exchange.request, head: exchange.head, decoded: nil)
            throw error
        }
    }

    private func decode(_ exchange: Exchange, limit: Int64) throws -> Data {
        var decoded = CollectedBody()
        do {
            guard let decoder = try ContentDecoder(chain: exchange.head.contentCodings, outputLimit: limit) else {
                return exchange.transfer.handle.body.take()
            }
            try exchange.transfer.handle.body.withBytes { (bytes) throws(ContentCodingError) in
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
                        throw .limitExceeded(decoder.coding, offset: decoder.inputCount, limit: Int64(decoded.count))
                    }
                }
                try decoder.finish()
            }
        } catch {
            throw URLError(error, url: exchange.request.url)
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
