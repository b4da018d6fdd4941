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
        /// Where the body is stored while it passes, if it is.
        var saving: CacheSaving?

        /// The codings to undo; what has no body has none.
        var isCoded: Bool { !head.contentCodings.isEmpty && request.method != "HEAD" }
    }

    /// Where the response that is delivered comes from.
    enum Answer {
        case exchange(Exchange)
        case stored(StoredAnswer)
    }

    let transport: CurlTransport
    /// Who is told of the task; nobody of a transfer that several tasks share.
    let delivery: TaskDelivery?
    let isObserved: Bool
    let method: String
    /// The URL of records.
    let url: RequestURL
    let started: Moment
    private let isAdmitted: Bool
    private let startDate: Date
    var transactions: [Transaction] = []
    var redirectCount = 0
    /// Nil as long as the session's thread had no part in it.
    var schedulingDelay: Int64?
    var lastEnd: Moment?
    /// When the last transaction ended, nil before the first.
    ///
    /// The next begins there, so that no time of the task is between two.
    var hopEnd: Moment?
    /// Whether the response came from the cache, or with another task's transfer.
    var isFromElsewhere = false
    private var isFinished = false
    /// Sees requests and bodies as they pass, where somebody asks for dependencies.
    private(set) var tap: EvidenceTap?
    /// What the taps of the tasks that share the transfer are to see.
    private(set) var passed: [Flight.Passed] = []

    /// Creates the task, and tells its observers so.
    init(
        _ transport: CurlTransport, method: String, urlText: String, isStream: Bool = false,
        observer: (any TaskObserver)?
    ) {
        self.transport = transport
        isAdmitted = transport.lifecycle.taskBegins()
        started = .now
        startDate = ProcessClock.date(for: started)
        self.method = method
        url = RequestURL(withoutUserInfo: urlText)
        let delivery = TaskDelivery(
            TaskRecord.Start(id: TaskRecord.nextID(), method: method, url: url, start: startDate, isStream: isStream),
            sessionUnit: transport.unit, observers: observer.map { transport.observers + [$0] } ?? transport.observers)
        self.delivery = delivery
        isObserved = delivery.isObserved
        if let slot = delivery.evidence {
            tap = EvidenceTap(
                FlowLedger.of(slot), task: delivery.start.id, sendsStoredCookies: transport.settings.keepsCookies)
        }
    }

    /// Makes what runs a transfer that several tasks share; they have the records.
    init(sharedBy transport: CurlTransport, _ request: OutgoingRequest) {
        self.transport = transport
        isAdmitted = transport.lifecycle.taskBegins()
        started = .now
        startDate = ProcessClock.date(for: started)
        method = request.method
        url = RequestURL(withoutUserInfo: request.urlText)
        delivery = nil
        isObserved = true
    }

    /// Delivers the record, once.
    func finish(_ error: (any Error)?) {
        guard !isFinished else { return }
        isFinished = true
        defer { transport.lifecycle.taskEnded() }
        guard isObserved, let delivery else { return }
        tap?.finish()
        if transactions.isEmpty {
            transactions = [Transaction(request: Transaction.Request(method: method, url: url))]
        }
        if let tap {
            transactions[0].requestOperationDigest = tap.operation
            if error == nil, !isFromElsewhere {
                transactions[transactions.count - 1].countOfResponseBodyBytesIfCompressed = tap.compressedBytes()
            }
        }
        delivery.finish(
            TaskRecord(
                id: delivery.start.id, unit: delivery.unit, attribution: delivery.attribution, start: startDate,
                end: ProcessClock.date(for: lastEnd ?? .now), redirectCount: redirectCount, transactions: transactions,
                failure: error.map(TaskRecord.Failure.init), edges: tap?.edges ?? [],
                isExamined: tap?.isExamined ?? false, schedulingDelay: schedulingDelay.map { Double($0) / 1e9 }))
    }

    /// Sends a request and follows redirects until a head that is to be delivered.
    ///
    /// - Parameters:
    ///   - request: The first request.
    ///   - options: What the app asks for beyond the request.
    ///   - makeSink: Makes the destination of each exchange's body.
    nonisolated(nonsending) func respond(
        to request: OutgoingRequest, _ options: Options, makeSink: () -> EasyHandle.Sink
    ) async throws -> Answer {
        guard isAdmitted else { throw URLError(.invalidated, url: request.url) }
        if let problem = transport.settings.problem { throw problem }
        let limits = transport.settings.limits(timeoutInterval: options.timeoutInterval, taskStart: started)
        var mostRedirects: Int?
        if case .follow(let limit) = transport.settings.configuration.redirects { mostRedirects = limit }
        var request = request
        var mode = options.mode
        var isRepeated = false
        while true {
            if !isRepeated { notice(request) }
            isRepeated = false
            let visit = makeVisit(request, mode)
            var sent = request
            switch visit?.look(followsRedirects: mostRedirects != nil) {
            case .serve(let served, let revalidates):
                guard !Task.isCancelled else { throw URLError(TransferFailure.cancelled, url: request.url) }
                if revalidates, let visit { transport.revalidate(request, visit.cache) }
                let answer = try serve(served, request)
                guard let next = try redirect(answer.head, request, mostRedirects) else { return .stored(answer) }
                request = next
                continue
            case .validate(let stored, let fields):
                noteLookup(request, status: stored.status, fields: stored.fields)
                sent = fields.isEmpty ? request : request.adding(fields, settings: transport.settings)
            case .refuse: return .stored(try refuse(request, mode))
            case .fetch, nil:
                if mode == .storedOnly { return .stored(try refuse(request, mode)) }
            }
            let transfer = try makeTransfer(sent, sink: makeSink(), limits, followsRedirects: mostRedirects != nil)
            let early = await run(transfer)
            if early == nil, let error = failure(of: transfer, sent) {
                note(transfer, sent, head: nil, decoded: nil)
                recycle(transfer)
                guard let served = visit?.failed(error) else { throw error }
                let answer = try serve(served, request)
                guard let next = try redirect(answer.head, request, mostRedirects) else { return .stored(answer) }
                request = next
                continue
            }
            let found = early ?? BodyPipe.Head(bytes: transfer.handle.head.bytes, status: transfer.handle.head.status)
            let head = transport.heads.head(
                bytes: found.bytes, status: found.status, url: request.url, urlText: request.urlText)
            guard let head else {
                await abandon(transfer)
                throw URLError(.badServerResponse, sentence: "The response has no head.", url: request.url)
            }
            var exchange = Exchange(request: sent, transfer: transfer, head: head)
            switch visit?.received(
                status: head.status, version: head.version, fields: head.fields, wasAskedAbout: sent !== request)
            {
            case .askAgain:
                try await drop(exchange, isPipe: early != nil)
                (mode, isRepeated) = (.reload, true)
                continue
            case .serve(let served):
                try await drop(exchange, isPipe: early != nil)
                let answer = try serve(served, request, isConfirmed: head.status == 304)
                guard let next = try redirect(answer.head, request, mostRedirects) else { return .stored(answer) }
                request = next
                continue
            case .deliver(let saving): exchange.saving = saving
            case nil: break
            }
            notice(head)
            guard early == nil, let next = try follow(exchange, request, mostRedirects) else {
                return .exchange(exchange)
            }
            request = next
            mode = options.mode
        }
    }

    /// The next request when a response from the server is a redirect to be followed, its exchange being over.
    private func follow(
        _ exchange: Exchange, _ request: OutgoingRequest, _ mostRedirects: Int?
    ) throws -> OutgoingRequest? {
        guard let mostRedirects else { return nil }
        let decision = RedirectPolicy.decide(
            status: exchange.head.status, location: exchange.head["location"], method: request.method, url: request.url)
        if case .deliver = decision { return nil }
        let handle = exchange.transfer.handle
        let isWhole = !exchange.isCoded && handle.result == CURLE_OK && handle.failure == nil
        note(
            exchange.transfer, exchange.request, head: exchange.head,
            decoded: isWhole ? handle.wireBytes : nil)
        recycle(exchange.transfer)
        exchange.saving?.commitWithoutBody()
        return try redirect(exchange.head, request, mostRedirects)
    }

    /// The next request when a head is that of a redirect to be followed.
    private func redirect(
        _ head: ResponseHead, _ request: OutgoingRequest, _ mostRedirects: Int?
    ) throws -> OutgoingRequest? {
        guard let mostRedirects else { return nil }
        let decision = RedirectPolicy.decide(
            status: head.status, location: head["location"], method: request.method, url: request.url)
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

    /// A request is about to be sent, or to be answered otherwise.
    private func notice(_ request: OutgoingRequest) {
        tap?.request(request)
        guard delivery == nil else { return }
        passed.append(
            .request(
                method: request.method, url: RequestURL(withoutUserInfo: request.urlText), fields: request.fields))
    }

    /// The head of a response is there, of a redirect perhaps.
    func notice(_ head: ResponseHead) {
        tap?.responseHead(status: head.status, fields: head.fields)
        if delivery == nil { passed.append(.head(status: head.status, fields: head.fields)) }
    }

    private func makeTransfer(
        _ request: OutgoingRequest, sink: EasyHandle.Sink, _ limits: Transfer.Limits, followsRedirects: Bool
    ) throws -> Transfer {
        let upload = try UploadSource(request.body, hashes: isObserved)
        let handle = try transport.takeHandle()
        handle.prepare(request, upload: upload, sink: sink, fetchStart: hopEnd ?? started)
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
        if !transfer.isAbandoned {
            if handle.failure == nil, handle.result == CURLE_OK { return nil }
            // Where a redirect leads its head says: what became of its body does not matter.
            if transfer.dropsBody {
                switch handle.failure {
                case nil, .timedOut(.betweenBytes, _): return nil
                default: break
                }
            }
        }
        return URLError(handle, url: request.url, isAbandoned: transfer.isAbandoned)
    }

    /// Adds the transaction of a transfer that is over.
    func note(
        _ transfer: Transfer, _ request: OutgoingRequest, head: ResponseHead?, decoded: Int64?,
        digest: BodyDigest? = nil
    ) {
        lastEnd = transfer.handle.marks.end
        hopEnd = lastEnd
        schedulingDelay = max(schedulingDelay ?? 0, transfer.schedulingDelay)
        guard isObserved else { return }
        let isFirst = redirectCount == 0
        transactions.append(
            Transaction(
                transfer, request, url: isFirst ? url : RequestURL(withoutUserInfo: request.urlText),
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
