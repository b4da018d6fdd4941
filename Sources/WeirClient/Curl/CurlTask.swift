#if !canImport(Darwin)
import CWeirCurl
import Foundation
import FoundationNetworking
import WeirEvidence
import WeirModel

/// One task of a session over libcurl: its exchanges one after the other, and its record.
///
/// All of it runs on the caller's side. `@unchecked Sendable`: one Swift task uses it at a time, the caller's, or the one
/// that finishes a stream that was abandoned.
final class CurlTask: @unchecked Sendable {
    /// An exchange whose head has arrived.
    struct Exchange {
        var request: OutgoingRequest
        var transfer: Transfer
        var head: ResponseHead

        /// The codings to undo; what has no body has none.
        var isCoded: Bool { !head.contentCodings.isEmpty && request.method != "HEAD" }
    }

    let transport: CurlTransport
    let delivery: TaskDelivery
    let isObserved: Bool
    private let isAdmitted: Bool
    private let started: Moment
    private let startDate: Date
    private var transactions: [Transaction] = []
    private var redirectCount = 0
    private var schedulingDelay: Int64 = 0
    private var lastEnd: Moment?
    private var isFinished = false
    /// Sees requests and bodies as they pass, where somebody asks for dependencies.
    private(set) var tap: EvidenceTap?

    /// Creates the task, and tells its observers so.
    init(
        _ transport: CurlTransport, method: String, urlText: String, isStream: Bool = false,
        observer: (any TaskObserver)?
    ) {
        self.transport = transport
        isAdmitted = transport.lifecycle.taskBegins()
        started = .now
        startDate = ProcessClock.date(for: started)
        delivery = TaskDelivery(
            TaskRecord.Start(
                id: TaskRecord.nextID(), method: method, url: RequestURL(withoutUserInfo: urlText), start: startDate,
                isStream: isStream),
            sessionUnit: transport.unit, observers: observer.map { transport.observers + [$0] } ?? transport.observers)
        isObserved = delivery.isObserved
        if let slot = delivery.evidence {
            tap = EvidenceTap(
                FlowLedger.of(slot), task: delivery.start.id, sendsStoredCookies: transport.settings.cookies != nil)
        }
    }

    /// Delivers the record, once.
    func finish(_ error: (any Error)?) {
        guard !isFinished else { return }
        isFinished = true
        defer { transport.lifecycle.taskEnded() }
        guard isObserved else { return }
        tap?.finish()
        if transactions.isEmpty {
            transactions = [
                Transaction(request: Transaction.Request(method: delivery.start.method, url: delivery.start.url))
            ]
        }
        if let tap {
            transactions[0].requestOperationDigest = tap.operation
            if error == nil {
                transactions[transactions.count - 1].countOfResponseBodyBytesIfCompressed = tap.compressedBytes()
            }
        }
        delivery.finish(
            TaskRecord(
                id: delivery.start.id, unit: delivery.unit, attribution: delivery.attribution, start: startDate,
                end: ProcessClock.date(for: lastEnd ?? .now), redirectCount: redirectCount, transactions: transactions,
                failure: error.map(TaskRecord.Failure.init), edges: tap?.edges ?? [],
                isExamined: tap?.isExamined ?? false,
                schedulingDelay: lastEnd == nil ? nil : Double(schedulingDelay) / 1e9))
    }

    /// Sends a request and follows redirects until a head that is to be delivered.
    ///
    /// - Parameters:
    ///   - request: The first request.
    ///   - timeoutInterval: The request's own limit in seconds, or nil.
    ///   - makeSink: Makes the destination of each exchange's body.
    nonisolated(nonsending) func respond(
        to request: OutgoingRequest, timeoutInterval: TimeInterval?, makeSink: () -> EasyHandle.Sink
    ) async throws -> Exchange {
        guard isAdmitted else { throw URLError(.invalidated, url: request.url) }
        if let problem = transport.settings.problem { throw problem }
        let limits = transport.settings.limits(timeoutInterval: timeoutInterval, taskStart: started)
        var mostRedirects: Int?
        if case .follow(let limit) = transport.settings.configuration.redirects { mostRedirects = limit }
        var request = request
        while true {
            tap?.request(request)
            let transfer = try makeTransfer(request, sink: makeSink(), limits, followsRedirects: mostRedirects != nil)
            let early = await run(transfer)
            if early == nil, let error = failure(of: transfer, request) {
                note(transfer, request, head: nil, decoded: nil)
                recycle(transfer)
                throw error
            }
            let found = early ?? BodyPipe.Head(bytes: transfer.handle.head.bytes, status: transfer.handle.head.status)
            let head = transport.heads.head(
                bytes: found.bytes, status: found.status, url: request.url, urlText: request.urlText)
            guard let head else {
                await abandon(transfer)
                throw URLError(.badServerResponse, sentence: "The response has no head.", url: request.url)
            }
            let exchange = Exchange(request: request, transfer: transfer, head: head)
            tap?.responseHead(status: head.status, fields: head.fields)
            guard early == nil, let mostRedirects, let next = try redirect(exchange, mostRedirects) else {
                return exchange
            }
            request = next
        }
    }

    /// The next request when a response is a redirect to be followed, its exchange being over.
    private func redirect(_ exchange: Exchange, _ mostRedirects: Int) throws -> OutgoingRequest? {
        let request = exchange.request
        let decision = RedirectPolicy.decide(
            status: exchange.head.status, location: exchange.head["location"], method: request.method, url: request.url)
        if case .deliver = decision { return nil }
        let isWhole = !exchange.isCoded && !exchange.transfer.wasCutShort
        note(
            exchange.transfer, request, head: exchange.head, decoded: isWhole ? exchange.transfer.handle.wireBytes : nil
        )
        recycle(exchange.transfer)
        switch decision {
        case .deliver: return nil
        case .fail(let code, let sentence): throw URLError(code, sentence: sentence, url: request.url)
        case .follow(let target):
            guard redirectCount < mostRedirects else {
                throw URLError(
                    .httpTooManyRedirects, sentence: "The task was redirected more than \(mostRedirects) times.",
                    url: request.url)
            }
            redirectCount += 1
            return try request.redirected(to: target, settings: transport.settings)
        }
    }

    private func makeTransfer(
        _ request: OutgoingRequest, sink: EasyHandle.Sink, _ limits: Transfer.Limits, followsRedirects: Bool
    ) throws -> Transfer {
        let upload = try UploadSource(request.body, hashes: isObserved)
        let handle = try transport.takeHandle()
        handle.prepare(request, upload: upload, sink: sink, fetchStart: transactions.isEmpty ? started : .now)
        let transfer = Transfer(handle, limits: limits, followsRedirects: followsRedirects)
        let loop = transport.loop
        if case .pipe(let pipe) = sink { pipe.onResume { loop.resumeReceiving(transfer) } }
        if let upload, !upload.begin(onReady: { loop.resumeSending(transfer) }) {
            transport.giveBack(handle)
            throw URLError(.sourceExhausted, url: request.url)
        }
        return transfer
    }

    /// Runs a transfer until it is over or, when a consumer reads along, until its head is there.
    ///
    /// - Returns: The head of a transfer that goes on; nil when it is over.
    private nonisolated(nonsending) func run(_ transfer: Transfer) async -> BodyPipe.Head? {
        let loop = transport.loop
        return await withTaskCancellationHandler {
            guard case .pipe(let pipe) = transfer.handle.sink else {
                await withUnsafeContinuation { continuation in
                    transfer.waiter = continuation
                    loop.submit(transfer)
                }
                return nil
            }
            loop.submit(transfer)
            return await pipe.head()
        } onCancel: {
            loop.end(transfer, .cancelled)
        }
    }

    /// Ends a transfer and waits until it is over.
    nonisolated(nonsending) func abandon(_ transfer: Transfer) async {
        guard case .pipe(let pipe) = transfer.handle.sink else {
            recycle(transfer)
            return
        }
        pipe.close()
        transport.loop.end(transfer, .cancelled)
        await pipe.drain()
    }

    /// Takes over a transfer that is over, and tells why it failed; nil when it did not.
    func failure(of transfer: Transfer, _ request: OutgoingRequest) -> URLError? {
        let handle = transfer.handle
        handle.accept()
        if handle.failure == nil, !transfer.isAbandoned, handle.result == CURLE_OK || transfer.wasCutShort {
            return nil
        }
        return URLError(handle, url: request.url, isAbandoned: transfer.isAbandoned)
    }

    /// Adds the transaction of a transfer that is over.
    func note(
        _ transfer: Transfer, _ request: OutgoingRequest, head: ResponseHead?, decoded: Int64?,
        digest: BodyDigest? = nil
    ) {
        lastEnd = transfer.handle.marks.end
        schedulingDelay = max(schedulingDelay, transfer.schedulingDelay)
        guard isObserved else { return }
        let isFirst = transactions.isEmpty
        transactions.append(
            Transaction(
                transfer, request, url: isFirst ? delivery.start.url : RequestURL(withoutUserInfo: request.urlText),
                head: head, decoded: decoded, digest: digest, usesProxy: transport.settings.usesProxy))
    }

    /// Gives the handle of a transfer that is over back for use by another.
    func recycle(_ transfer: Transfer) {
        if transfer.isAbandoned {
            // libcurl still has it: it goes when the name lookup is over. Here only what would keep it alive is cut.
            transfer.handle.upload?.end()
            if case .pipe(let pipe) = transfer.handle.sink { pipe.onResume(nil) }
            return
        }
        transport.giveBack(transfer.handle)
    }
}
#endif
