#if canImport(Darwin)
import Foundation
import Synchronization
import WeirModel

/// One task over `URLSession`: its delegate, its body, and its record.
///
/// The body goes through a `BodyPipe`, as elsewhere. `URLSession` cannot take bytes back, so what has no room waits here
/// while the task is suspended.
final class URLSessionExchange: NSObject, URLSessionDataDelegate, ByteSource, Sendable {
    private struct State {
        var task: URLSessionDataTask?
        var response: HTTPURLResponse?
        var failure: (any Error)?
        var overflow: [[UInt8]] = []
        var isSuspended = false
        var isComplete = false
        var isCancelled = false
        var redirects = 0
    }

    private let transport: URLSessionTransport
    private let delivery: TaskDelivery
    private let body: RequestBody
    private let pipe = BodyPipe()
    private let shared = Lock(State())

    init(_ transport: URLSessionTransport, delivery: TaskDelivery, body: RequestBody) {
        self.transport = transport
        self.delivery = delivery
        self.body = body
    }

    /// Sends the request and waits for the response's head.
    nonisolated(nonsending) func start(_ request: URLRequest) async throws -> HTTPURLResponse {
        let task = transport.makeTask(request, body)
        task.delegate = self
        pipe.onResume { [weak self] in self?.refill() }
        let isCancelled = shared.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() } else { task.resume() }
        await withTaskCancellationHandler {
            _ = await pipe.head()
        } onCancel: {
            cancel()
        }
        if let response = shared.withLock({ $0.response }) { return response }
        throw shared.withLock { $0.failure } ?? URLError(.badServerResponse)
    }

    /// The record of a task that never reached the network.
    func fail(_ error: any Error) {
        delivery.finish(
            TaskRecord(
                id: delivery.start.id, unit: delivery.unit, attribution: delivery.attribution,
                start: delivery.start.start, end: ProcessClock.now,
                transactions: [Transaction(request: .init(method: delivery.start.method, url: delivery.start.url))],
                failure: TaskRecord.Failure(error)))
    }

    // ByteSource

    var taskID: UInt64? { delivery.start.id }

    var state: HTTPSession.StreamTask.State {
        shared.withLock { $0.isComplete ? .completed : $0.isCancelled ? .canceling : .running }
    }

    func cancel() {
        let task = shared.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
        pipe.close()
    }

    func abandon() { if !shared.withLock({ $0.isComplete }) { cancel() } }

    nonisolated(nonsending) func next() async throws -> [UInt8]? {
        let bytes = await withTaskCancellationHandler {
            await pipe.next()
        } onCancel: {
            cancel()
        }
        if bytes == nil, let failure = shared.withLock({ $0.failure }) { throw failure }
        return bytes
    }

    private func refill() {
        let task: URLSessionDataTask? = shared.withLock { state in
            while let first = state.overflow.first {
                guard first.withUnsafeBytes({ pipe.write($0) }) != .full else { return nil }
                state.overflow.removeFirst()
            }
            if state.isComplete { pipe.finish() }
            guard state.isSuspended else { return nil }
            state.isSuspended = false
            return state.task
        }
        task?.resume()
    }

    // URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        guard let response = response as? HTTPURLResponse else { return .cancel }
        shared.withLock { $0.response = response }
        pipe.headIsComplete(BodyPipe.Head(bytes: [], status: response.statusCode))
        return .allow
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let bytes = [UInt8](data)
        let mustWait = shared.withLock { state in
            if state.overflow.isEmpty, bytes.withUnsafeBytes({ pipe.write($0) }) != .full { return false }
            state.overflow.append(bytes)
            defer { state.isSuspended = true }
            return !state.isSuspended
        }
        if mustWait { dataTask.suspend() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? {
        guard case .follow(let limit) = transport.configuration.redirects else { return nil }
        let count = shared.withLock { state in
            state.redirects += 1
            return state.redirects
        }
        guard count <= limit else {
            shared.withLock { $0.failure = URLError(.httpTooManyRedirects) }
            task.cancel()
            return nil
        }
        var request = request
        if let before = response.url, let after = request.url, !RedirectPolicy.isSameOrigin(before, after) {
            for name in (request.allHTTPHeaderFields ?? [:]).keys where RedirectPolicy.isCredential(name) {
                request.setValue(nil, forHTTPHeaderField: name)
            }
        }
        return request
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        transport.configuration.tls.clientCertificate?.answer(challenge)
            ?? transport.configuration.trust.answer(challenge)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        completionHandler(transport.makeStream(body))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        if case .endless(let meter) = body { meter.took(bytesSent, at: .now) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let failure = shared.withLock { $0.failure } ?? task.error
        delivery.finish(TaskRecord(metrics, delivery: delivery, failure: failure))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let isDrained = shared.withLock { state in
            state.isComplete = true
            state.failure = state.failure ?? error
            return state.overflow.isEmpty
        }
        if isDrained { pipe.finish() }
        transport.lifecycle.taskEnded()
    }
}
#endif
