#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import WeirModel

extension CurlTask {
    /// A stored response that is delivered.
    struct StoredAnswer {
        var head: ResponseHead
        var body: CachedBody
        var url: URL
        /// Whether the body is that of a request that has one.
        var isHead: Bool
        /// The transaction that tells of it, which gets the body's size; nil when nobody gets a record.
        var transaction: Int?

        /// The codings to undo; what has no body has none.
        var isCoded: Bool { !head.contentCodings.isEmpty && !isHead }
    }

    /// The dealings of a request with the session's cache; nil when it has none.
    func makeVisit(_ request: OutgoingRequest, _ mode: CacheRequest.Mode) -> CacheVisit? {
        guard let cache = transport.settings.configuration.cache else { return nil }
        return CacheVisit(
            cache,
            CacheRequest(
                method: request.method, key: CacheKey(request.urlText), fields: request.fields, mode: mode,
                identity: transport.settings.identity, hasUnseenCookies: transport.settings.keepsCookies))
    }

    /// Adds the transaction of a look into the cache.
    ///
    /// - Returns: Its place among the transactions.
    @discardableResult
    func noteLookup(_ request: OutgoingRequest, status: Int?, fields: [HeaderField]) -> Int? {
        guard isObserved else { return nil }
        let kept = fields.filter { HeaderField.keptInResponses.contains($0.name.lowercased()) }
        var transaction = Transaction(
            request: Transaction.Request(
                method: request.method,
                url: redirectCount == 0 ? url : RequestURL(withoutUserInfo: request.urlText),
                headerFields: request.keptFields),
            response: status.map { Transaction.Response(statusCode: $0, headerFields: kept) },
            resourceFetchType: .localCache)
        let now = Moment.now
        transaction.fetchStartDate = ProcessClock.date(for: hopEnd ?? started)
        transaction.responseEndDate = ProcessClock.date(for: now)
        hopEnd = now
        transaction.setNothingOnTheWire()
        transactions.append(transaction)
        return transactions.count - 1
    }

    /// Makes the answer from a stored response.
    ///
    /// - Parameter isConfirmed: Whether the server has just confirmed it: then the look that led there tells of it.
    func serve(
        _ served: CacheVisit.Served, _ request: OutgoingRequest, isConfirmed: Bool = false
    ) throws -> StoredAnswer {
        let head = ResponseHead(
            status: served.response.status, version: served.response.version, fields: served.fields, url: request.url)
        guard let head else {
            throw URLError(.badServerResponse, sentence: "The stored response has no head.", url: request.url)
        }
        var place: Int?
        if isConfirmed {
            place = transactions.indices.dropLast().last { transactions[$0].resourceFetchType == .localCache }
        } else {
            place = noteLookup(request, status: head.status, fields: head.fields)
            isFromElsewhere = true
            lastEnd = .now
        }
        isFromElsewhere = true
        notice(head)
        return StoredAnswer(
            head: head, body: served.body, url: request.url, isHead: request.method == "HEAD", transaction: place)
    }

    /// The answer when neither the cache nor, by the app's wish, the network has one.
    func refuse(_ request: OutgoingRequest, _ mode: CacheRequest.Mode) throws -> StoredAnswer {
        isFromElsewhere = true
        if mode == .storedOnly {
            noteLookup(request, status: nil, fields: [])
            throw URLError(
                .resourceUnavailable,
                sentence: "The response is not stored, and the request says returnCacheDataDontLoad.",
                url: request.url)
        }
        guard let head = ResponseHead(status: 504, version: "HTTP/1.1", fields: [], url: request.url) else {
            throw URLError(.resourceUnavailable, sentence: "The response is not stored.", url: request.url)
        }
        let place = noteLookup(request, status: 504, fields: [])
        return StoredAnswer(
            head: head, body: .memory(Data()), url: request.url, isHead: request.method == "HEAD", transaction: place)
    }

    /// Completes the transaction of a stored response that was delivered.
    func noteServed(_ answer: StoredAnswer, decoded: Int64?, digest: BodyDigest?) {
        let now = Moment.now
        lastEnd = now
        guard let place = answer.transaction, transactions.indices.contains(place) else { return }
        transactions[place].countOfResponseBodyBytesAfterDecoding = decoded
        transactions[place].responseBodyDigest = digest
        // A look that led to the server ended there.
        if place == transactions.count - 1 { transactions[place].responseEndDate = ProcessClock.date(for: now) }
    }

    /// Ends an exchange whose body is of no use, and adds its transaction.
    nonisolated(nonsending) func drop(_ exchange: Exchange, isPipe: Bool) async throws {
        if isPipe, case .pipe(let pipe) = exchange.transfer.handle.sink {
            let loop = transport.loop
            let transfer = exchange.transfer
            // Without a body the end is there at once, and the connection can be used again.
            if exchange.head.status != 304 {
                pipe.close()
                loop.end(transfer, .cancelled)
            }
            await withTaskCancellationHandler {
                await pipe.drain()
            } onCancel: {
                loop.end(transfer, .cancelled)
            }
        }
        _ = failure(of: exchange.transfer, exchange.request)
        note(
            exchange.transfer, exchange.request, head: exchange.head,
            decoded: exchange.transfer.handle.wireBytes == 0 ? 0 : nil)
        recycle(exchange.transfer)
    }
}

extension CurlTransport {
    var coalescing: HTTPSession.Coalescing { settings.configuration.coalescing }

    /// Asks the server in the background about a response that was served stale: a task of its own, which belongs to the unit of
    /// work that is current here, and ends with the session.
    func revalidate(_ request: OutgoingRequest, _ cache: HTTPSession.Cache) {
        let key = CacheKey(request.urlText)
        guard cache.beginsRevalidation(key) else { return }
        let task = CurlTask(self, method: request.method, urlText: request.urlText, observer: nil)
        Task.detached(priority: .utility) {
            defer { cache.endRevalidation(key) }
            // Its failure is in its record, and is nobody else's business.
            _ = try? await task.whole { task in try await task.refresh(request) }
        }
    }
}

extension CurlTask {
    /// Brings what is stored up to date; the body goes to the store alone.
    fileprivate nonisolated(nonsending) func refresh(_ request: OutgoingRequest) async throws {
        switch try await respond(to: request, Options(mode: .background), makeSink: { .pipe(BodyPipe()) }) {
        case .stored(let answer): noteServed(answer, decoded: 0, digest: nil)
        case .exchange(let exchange):
            guard case .pipe(let pipe) = exchange.transfer.handle.sink else { return }
            let source = try CurlByteSource(self, exchange, pipe)
            while try await source.next() != nil {}
        }
    }
}

extension Transaction {
    /// Notes that no byte of it went over the network.
    mutating func setNothingOnTheWire() {
        countOfRequestHeaderBytesSent = 0
        countOfRequestBodyBytesSent = 0
        countOfResponseHeaderBytesReceived = 0
        countOfResponseBodyBytesReceived = 0
    }
}

extension URLError {
    /// A stored body that could be read a moment ago and cannot now.
    static func unreadableBody(_ url: URL) -> URLError {
        URLError(.cannotOpenFile, sentence: "The stored body of the response cannot be read.", url: url)
    }
}
#endif
