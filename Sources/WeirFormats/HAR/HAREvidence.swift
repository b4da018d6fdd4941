import Foundation
import WeirEvidence
import WeirModel

/// Looks through an entry's request and response for values that flow: hashes with places, no content.
struct HAREvidence: Sendable {
    private let request: RequestEvidence
    private var response = ResponseEvidence()
    private var headCount = 0

    /// What was found.
    var exchange: ExchangeEvidence { ExchangeEvidence(request, response, headCount: headCount) }

    /// Which GraphQL operation the request runs.
    private(set) var operation: BodyDigest?
    /// What compression would leave of the response's body; nil where it was compressed, or does not shrink.
    private(set) var compressedBytes: Int64?

    /// Looks through an entry.
    ///
    /// - Parameters:
    ///   - request: The request as records keep it.
    ///   - requestValue: The request as the file has it.
    ///   - responseValue: The response as the file has it, or nil.
    ///   - texts: The texts of entries before it.
    init(
        _ request: Transaction.Request, _ requestValue: HARMembers, _ responseValue: HARMembers?, _ texts: TextCache
    ) {
        let body = Self.body(of: requestValue)
        if case .data(let data) = body {
            operation = GraphQLOperation.digest(ofBody: data)
        } else {
            operation = GraphQLOperation.digest(ofQuery: request.url.query)
        }
        let requestHeaders = requestValue[.headers]
        self.request = RequestEvidence(
            method: request.method, url: request.url,
            fields: Self.fields(requestHeaders, texts) { RequestEvidence.concerns($0) }, body: body)
        let status = responseValue?[.status]?.number ?? 0
        guard let responseValue, status >= 100 else {
            response.bodyIsMissing()
            return
        }
        let fields = Self.fields(responseValue[.headers], texts) { !HeaderValues.isInert($0) }
        response.head(fields: fields)
        headCount = response.values.count
        readBody(
            responseValue, status: Int(min(status, 999)), method: request.method, fields,
            requestHeaders: requestHeaders, texts)
    }

    /// How much of a body is compressed to see what it would save: a file can hold very many.
    private static let sampleSize = 12 * 1024

    private static let acceptEncoding = NameTable(["accept-encoding"])

    /// Whether a request has an Accept-Encoding.
    private static func offersCoding(_ headers: JSONView?, _ texts: TextCache) -> Bool {
        !fields(headers, texts) { acceptEncoding.contains($0) }.isEmpty
    }

    private mutating func readBody(
        _ value: HARMembers, status: Int, method: String, _ fields: [HeaderField], requestHeaders: JSONView?,
        _ texts: TextCache
    ) {
        // Nothing can be taken from a redirect's body, since it is followed without being read.
        if method == "HEAD" || [204, 205, 301, 302, 303, 307, 308].contains(status) { return }
        let content = value[.content].map { texts.places.content.members(of: $0) }
        let mediaType = content?[.mimeType].flatMap { texts.text(of: $0) }
            .flatMap { $0.isEmpty || $0 == "x-unknown" ? nil : $0 }
        response.body(contentType: mediaType ?? fields["content-type"])
        guard let text = content?[.text], !text.isEmptyString, !text.isNull else {
            let isKnownEmpty = content?[.size]?.number == 0 && status != 304
            if !isKnownEmpty, !response.isInert { response.bodyIsMissing() }
            return
        }
        if response.isInert { return }
        var compressibility = Compressibility(limit: Self.sampleSize)
        // Only where a server left out what was asked for does it matter what compression would have saved.
        let isUncoded =
            content?[.size]?.number ?? 0 >= 1_400 && EvidenceTap.couldBeCompressed(status: status, fields)
            && Self.offersCoding(requestHeaders, texts)
        defer { if isUncoded { compressedBytes = compressibility.compressedBytes() } }
        if content?[.encoding]?.string?.lowercased() == "base64" {
            let data = text.withStringBytes { Data(base64Encoded: Data($0), options: .ignoreUnknownCharacters) }
            guard let data, let data else {
                response.bodyIsMissing()
                return
            }
            data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Void in
                response.body(bytes)
                if isUncoded { compressibility.update(bytes) }
            }
        } else if response.isUnread, !isUncoded {
            // Pages, scripts and styles are not looked into: that there is one is enough.
            response.bodyIsMissing()
        } else if text.withStringBytes({ (bytes: UnsafeRawBufferPointer) -> Void in
            response.body(bytes)
            if isUncoded { compressibility.update(bytes) }
        }) == nil {
            response.bodyIsMissing()
        }
        response.end()
    }

    private static func body(of request: HARMembers) -> RequestEvidence.Body {
        guard let data = request[.postData], data.isObject else {
            return (request[.bodySize]?.number ?? 0) > 0 ? .unseen : .none
        }
        if let text = data["text"], !text.isEmptyString, let bytes = text.withStringBytes({ Data($0) }) {
            return .data(bytes)
        }
        if let parameters = data["params"], parameters.isArray {
            let fields = parameters.elements.map {
                (name: $0["name"]?.string ?? "", value: $0["value"]?.string ?? $0["value"]?.numberText ?? "")
            }
            if !fields.isEmpty { return .fields(fields) }
        }
        return (request[.bodySize]?.number ?? 0) > 0 ? .unseen : .none
    }

    /// The header fields whose names are of use, whichever way they are written; where they are written in an unusual way,
    /// all of them.
    @inline(__always)
    private static func fields(
        _ value: JSONView?, _ texts: TextCache, _ isOfUse: (UnsafeRawBufferPointer) -> Bool
    ) -> [HeaderField] {
        guard let value else { return [] }
        var result: [HeaderField] = []
        let isOfPairs = value.forEachPair { name, value in
            guard isOfUse(name) else { return }
            result.append(
                HeaderField(name: texts.text(name), value: texts.text(of: value) ?? value.numberText ?? ""))
        }
        return isOfPairs ? result : oddFields(value, isOfUse)
    }

    @inline(never)
    private static func oddFields(
        _ value: JSONView, _ isOfUse: (UnsafeRawBufferPointer) -> Bool
    ) -> [HeaderField] {
        let fields: [HeaderField]
        if value.isObject {
            fields = value.members.map { HeaderField(name: $0.key.string ?? "", value: $0.value.string ?? "") }
        } else {
            fields = value.elements.compactMap { element in
                if element.isObject {
                    guard let name = element["name"]?.string else { return nil }
                    return HeaderField(
                        name: name, value: element["value"]?.string ?? element["value"]?.numberText ?? "")
                }
                var pair = element.elements.makeIterator()
                guard let name = pair.next()?.string else { return nil }
                return HeaderField(name: name, value: pair.next()?.string ?? "")
            }
        }
        return fields.filter { field in Array(field.name.utf8).withUnsafeBytes(isOfUse) }
    }
}

extension HAREvidence {
    /// What the chains of one page need, found in the order in which things happened.
    struct Resolution {
        /// For each chain, its edges.
        var edges: [[TaskRecord.Edge]]
        /// For each chain, whether all of it was looked at.
        var isExamined: [Bool]
        /// How many values were not kept because of the limit.
        var dropped: Int
    }

    private enum Event {
        case begin(chain: Int)
        case follow(chain: Int, hop: Int)
        case head(chain: Int, hop: Int)
        case body(chain: Int, hop: Int)

        /// At the same time, what arrives was there before what begins.
        var rank: Int {
            switch self {
            case .head: 0
            case .body: 1
            case .follow: 2
            case .begin: 3
            }
        }
    }

    /// Finds which chains need which.
    ///
    /// - Parameters:
    ///   - chains: Each a request with the redirects it went through, as places in `exchanges`.
    ///   - exchanges: The file's exchanges.
    ///   - limits: How much is kept for the page.
    static func resolve(
        _ chains: [[Int]], in exchanges: [HARExchange], resolution: TimeInterval, limits: ValueFlow.Limits
    ) -> Resolution {
        var result = Resolution(
            edges: Array(repeating: [], count: chains.count), isExamined: Array(repeating: false, count: chains.count),
            dropped: 0)
        var events: [(time: Date, event: Event)] = []
        for (index, chain) in chains.enumerated() {
            for (hop, place) in chain.enumerated() where exchanges[place].entry.evidence != nil {
                let exchange = exchanges[place]
                events.append((exchange.start, hop == 0 ? .begin(chain: index) : .follow(chain: index, hop: hop)))
                events.append((max(exchange.headArrival - resolution, exchange.start), .head(chain: index, hop: hop)))
                events.append((max(exchange.end - resolution, exchange.start), .body(chain: index, hop: hop)))
            }
        }
        events.sort { ($0.time, $0.event.rank) < ($1.time, $1.event.rank) }
        var flow = ValueFlow(limits: limits)
        var next = Array(repeating: 0, count: chains.count)

        func evidence(_ chain: Int, _ hop: Int) -> (id: TaskRecord.ID, evidence: ExchangeEvidence)? {
            guard let evidence = exchanges[chains[chain][hop]].entry.evidence else { return nil }
            return (UInt64(exchanges[chains[chain][0]].entry.index), evidence)
        }
        /// Begins a hop of a chain, unless it has begun: an exchange that took no time ends when it begins.
        func begin(_ chain: Int, _ hop: Int) {
            while next[chain] <= hop {
                if let (id, evidence) = evidence(chain, next[chain]) {
                    if next[chain] == 0 {
                        result.edges[chain] = flow.begin(id, evidence.request)
                    } else {
                        flow.follow(id, evidence.request)
                    }
                }
                next[chain] += 1
            }
        }
        for (_, event) in events {
            switch event {
            case .begin(let chain): begin(chain, 0)
            case .follow(let chain, let hop): begin(chain, hop)
            case .head(let chain, let hop):
                begin(chain, hop)
                guard let (id, evidence) = evidence(chain, hop), let response = evidence.response else { break }
                flow.receive(id, response.values[..<response.headCount], places: response.places, hop: hop)
            case .body(let chain, let hop):
                begin(chain, hop)
                guard let (id, evidence) = evidence(chain, hop), let response = evidence.response else { break }
                flow.receive(id, response.values[response.headCount...], places: response.places, hop: hop)
            }
        }
        for (index, chain) in chains.enumerated() {
            let isSeen = chain.allSatisfy { exchanges[$0].entry.evidence?.isComplete ?? false }
            result.isExamined[index] = isSeen && flow.isComplete(UInt64(exchanges[chain[0]].entry.index))
        }
        result.dropped = flow.dropped
        return result
    }
}
