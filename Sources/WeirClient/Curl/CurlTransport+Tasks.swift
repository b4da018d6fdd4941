#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import WeirModel

extension CurlTransport {
    nonisolated(nonsending) func data(
        from url: URL, observer: (any TaskObserver)?
    ) async throws -> (Data, HTTPURLResponse) {
        let task = CurlTask(self, method: "GET", urlText: url.absoluteString, observer: observer)
        return try await task.whole { task in
            try await task.data(
                for: OutgoingRequest(url: url, settings: settings), CurlTask.Options(), shared: coalescing)
        }
    }

    nonisolated(nonsending) func data(
        for request: URLRequest, body: RequestBody?, observer: (any TaskObserver)?
    ) async throws -> (Data, HTTPURLResponse) {
        let task = CurlTask(self, request, observer: observer)
        return try await task.whole { task in
            let outgoing = try OutgoingRequest(request, body: body, settings: settings)
            return try await task.data(for: outgoing, CurlTask.Options(request), shared: coalescing)
        }
    }

    nonisolated(nonsending) func bytes(
        for request: URLRequest, observer: (any TaskObserver)?
    ) async throws -> (HTTPSession.Bytes, HTTPURLResponse) {
        let task = CurlTask(self, request, observer: observer)
        do {
            let outgoing = try OutgoingRequest(request, body: nil, settings: settings)
            let (source, response) = try await task.stream(for: outgoing, CurlTask.Options(request))
            return (HTTPSession.Bytes(source), response)
        } catch {
            task.finish(error)
            throw error
        }
    }
}

extension CurlTask {
    /// What the app asks for beyond the request itself.
    struct Options: Sendable, Hashable {
        var mode = CacheRequest.Mode.asProtocol
        var timeoutInterval: TimeInterval?

        init(mode: CacheRequest.Mode = .asProtocol) { self.mode = mode }

        init(_ request: URLRequest) {
            mode = CacheRequest.Mode(request.cachePolicy)
            timeoutInterval = request.timeoutInterval
        }
    }

    /// Runs the task until its head has arrived.
    nonisolated(nonsending) func stream(
        for request: OutgoingRequest, _ options: Options
    ) async throws -> (CurlByteSource, HTTPURLResponse) {
        switch try await respond(to: request, options, makeSink: { .pipe(BodyPipe()) }) {
        case .stored(let answer): return (try CurlByteSource(self, answer), answer.head.response)
        case .exchange(let exchange):
            guard case .pipe(let pipe) = exchange.transfer.handle.sink else {
                throw URLError(.unknown, sentence: "The response has no body to read.", url: request.url)
            }
            do {
                return (try CurlByteSource(self, exchange, pipe), exchange.head.response)
            } catch {
                await abandon(exchange.transfer)
                note(exchange.transfer, exchange.request, head: exchange.head, decoded: nil)
                recycle(exchange.transfer)
                throw error
            }
        }
    }

    convenience init(_ transport: CurlTransport, _ request: URLRequest, observer: (any TaskObserver)?) {
        self.init(
            transport, method: request.httpMethod ?? "GET", urlText: request.url?.absoluteString ?? "",
            isStream: request.asksForStream, observer: observer)
    }

    /// Runs a task that is over when the function returns, and delivers its record before.
    nonisolated(nonsending) func whole<Result>(
        _ body: nonisolated(nonsending) (CurlTask) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body(self)
            finish(nil)
            return result
        } catch {
            finish(error)
            throw error
        }
    }
}
#endif
