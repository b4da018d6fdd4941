import Foundation
import WeirEvidence
import WeirModel

/// One entry of a HAR file, read by itself: what it says, before the rest of the file tells how to take it.
///
/// Everything that needs other entries (where TLS belongs, whether connection ids can be trusted) is left to
/// ``HARTraits``, so that entries can be read one at a time.
struct HAREntry: Sendable {
    var index: Int
    /// The page that it refers to; empty if none.
    var pageID: String
    /// `startedDateTime`.
    var start: Date
    /// `time`, in milliseconds.
    var elapsed: Double?
    var timings = HARTimings()
    var request: Transaction.Request
    /// `response.status`, whatever it is.
    var status: Int?
    /// The response's fields that are kept.
    var responseHeaderFields: [HeaderField] = []
    /// Nil when no response arrived.
    ///
    /// Only after ``settle(as:)``, as are the last resort of `failure`, and `fetchType`.
    var response: Transaction.Response?
    /// Where the response redirects to, as written.
    var redirectTarget: String?
    /// Whether the client made the redirect up itself, as for HSTS.
    var isInternalRedirect = false
    /// Why it failed.
    var failure: String?
    var sizes = HARSizes()
    var requestBodyDigest: BodyDigest?
    var protocolName: String?
    /// Where the entry itself says that the response came from.
    var toldFetchType: Transaction.ResourceFetchType?
    var fetchType = Transaction.ResourceFetchType.networkLoad
    /// Whether there is a state of the cache before the request.
    var hasCacheState = false
    /// Whether the server pushed the response.
    var wasPushed = false
    var connection: String?
    /// Whether the exporter says that the connection was used before.
    var isReusedConnection: Bool?
    var remoteAddress: String?
    var remotePort: Int?
    var tlsVersion: UInt16?
    /// WebPageTest: `_all_start` and `_load_start`, in milliseconds from the start of the page.
    var testMarks: (all: Double, load: Double)?
    /// What it says of values that flow between requests; nil where that is not looked for.
    var evidence: ExchangeEvidence?
    /// Which GraphQL operation the request runs, and what compression would leave of the body, where that is looked for.
    var operation: BodyDigest?
    var compressedBytes: Int64?
    /// What made the browser ask.
    var initiator: HARInitiator?
    /// What Weir itself wrote into it.
    var native: HARNative?
    /// The paths of fields of a wrong type.
    var wrongTypes: [String] = []

    /// What a redacted file says of a body that it has no longer: see `compressedBytes`.
    static let compressedBytesKey: StaticString = "_weirCompressedBytes"

    /// The page that an entry refers to, which is known also of an entry that cannot be read.
    static func pageID(of value: HARMembers, _ texts: TextCache) -> String {
        value[.pageref].flatMap { texts.text(of: $0) ?? $0.numberText } ?? ""
    }

    /// Makes an entry of which nothing more is known.
    init(index: Int, pageID: String, start: Date, request: Transaction.Request) {
        self.index = index
        self.pageID = pageID
        self.start = start
        self.request = request
    }

    /// Reads an entry.
    ///
    /// - Throws: The reason for which it cannot be placed among the others.
    init(_ value: JSONValue, index: Int, findsDependencies: Bool = false) throws(Recording.Reason) {
        let texts = TextCache()
        self = try value.withView { value throws(Recording.Reason) in
            try HAREntry(
                value, texts.places.entry.members(of: value), index: index, findsDependencies: findsDependencies, texts)
        }
    }

    /// Reads an entry.
    ///
    /// - Parameters:
    ///   - object: The entry.
    ///   - value: Its members.
    ///   - texts: The texts of entries before it, which it most likely repeats.
    /// - Throws: The reason for which it cannot be placed among the others.
    init(
        _ object: JSONView, _ value: HARMembers, index: Int, findsDependencies: Bool, _ texts: TextCache
    ) throws(Recording.Reason) {
        guard object.isObject else {
            throw .wrongType("the entry", expected: "an object", found: object.kindName)
        }
        guard let requestObject = value[.request], !requestObject.isNull else { throw .missing("request") }
        guard requestObject.isObject else {
            throw .wrongType("request", expected: "an object", found: requestObject.kindName)
        }
        let requestValue = texts.places.request.members(of: requestObject)
        var fields = HARFields()
        request = try Self.request(requestValue, texts)
        start = try Self.start(value)
        self.index = index
        pageID = Self.pageID(of: value, texts)
        elapsed = fields.milliseconds(value[.time], "time").flatMap { $0 >= 0 ? $0 : nil }
        timings = HARTimings(
            fields.object(value[.timings], "timings").map { texts.places.timings.members(of: $0) }, &fields)
        readRequest(requestValue, &fields, texts)
        readConnection(value, &fields, texts)
        let responseValue = fields.object(value[.response], "response")
            .map { texts.places.response.members(of: $0) }
        readResponse(responseValue, entry: value, &fields, texts)
        protocolName =
            Self.protocolName(responseValue?[.httpVersion]) ?? Self.protocolName(requestValue[.httpVersion])
            ?? Self.protocolName(value[.otherProtocol])
        if let all = fields.milliseconds(value[.allStart], "_all_start"),
            let load = fields.milliseconds(value[.loadStart], "_load_start"), load >= all
        {
            testMarks = (all, load)
        }
        wrongTypes = fields.wrongTypes
        if value[.weirTask] != nil { native = HARNative(value, self) }
        // What Weir wrote has its dependencies, and no bodies.
        if findsDependencies, native == nil {
            let evidence = HAREvidence(request, requestValue, responseValue, texts)
            operation = evidence.operation
            let told = responseValue?[.content]?[Self.compressedBytesKey]?.number
            compressedBytes = told.flatMap { HARSizes.count($0) } ?? evidence.compressedBytes
            self.evidence = evidence.exchange
            initiator = HARInitiator(value, texts)
        }
    }

    private static func protocolName(_ value: JSONView?) -> String? {
        guard let value else { return nil }
        // Nearly all write one of these.
        if value.isString("HTTP/1.1") || value.isString("http/1.1") { return "http/1.1" }
        if value.isString("HTTP/2.0") || value.isString("h2") || value.isString("http/2.0") { return "h2" }
        return value.string.flatMap(HeaderValue.protocolName)
    }

    private static func request(
        _ value: HARMembers, _ texts: TextCache
    ) throws(Recording.Reason) -> Transaction.Request {
        guard let url = value[.url], !url.isNull else { throw .missing("request.url") }
        guard let text = url.string else {
            throw .wrongType("request.url", expected: "a string", found: url.kindName)
        }
        let method = value[.method].flatMap { texts.text(of: $0) } ?? ""
        let parsed = RequestURL(text)
        guard method.utf8.count != 7 || method.lowercased() != "connect" else { throw .tunnel }
        guard parsed.isNetwork else { throw .notNetwork(scheme: String((parsed.scheme ?? "").prefix(40))) }
        return Transaction.Request(method: method.isEmpty ? "GET" : method, url: parsed)
    }

    private static func start(_ value: HARMembers) throws(Recording.Reason) -> Date {
        guard let started = value[.startedDateTime], !started.isNull else { throw .missing("startedDateTime") }
        if let bytes = started.plainBytes, let date = Timestamp.date(from: bytes) { return date }
        guard let text = started.string else {
            throw .wrongType("startedDateTime", expected: "a string", found: started.kindName)
        }
        guard !text.isEmpty else { throw .missing("startedDateTime") }
        guard let date = Timestamp.date(from: text) else {
            throw .malformedDate("startedDateTime", text: String(text.prefix(40)))
        }
        return date
    }

    private mutating func readRequest(_ value: HARMembers, _ fields: inout HARFields, _ texts: TextCache) {
        var kept: [HeaderField] = []
        kept.reserveCapacity(8)
        fields.headers(value[.headers], "request.headers", .inRequests, texts) { lowercased, name, value in
            if lowercased == "content-length" { sizes.requestContentLength = HeaderValue.contentLength(value) }
            kept.append(HeaderField(name: name, value: value))
        }
        request.headerFields = kept
        sizes.requestHead = fields.number(value[.headersSize], "request.headersSize")
        sizes.requestBody = fields.number(value[.bodySize], "request.bodySize")
        if let data = fields.object(value[.postData], "request.postData") {
            requestBodyDigest = HARBody.digest(ofPostData: data)
        }
    }

    private mutating func readConnection(_ value: HARMembers, _ fields: inout HARFields, _ texts: TextCache) {
        connection = fields.text(value[.connection], "connection") ?? fields.text(value[.socket], "_socket")
        isReusedConnection = fields.flag(value[.connectionReused], "_connectionReused")
        if var address = fields.text(value[.serverIPAddress] ?? value[.otherIPAddress], "serverIPAddress") {
            if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
            remoteAddress = address
        }
        remotePort = fields.integer(value[.serverPort], "_serverPort").flatMap { 1...65_535 ~= $0 ? $0 : nil }
        switch value[.securityDetails]?["protocol"]?.string {
        case "TLS 1.3": tlsVersion = 0x0304
        case "TLS 1.2": tlsVersion = 0x0303
        case "TLS 1.1": tlsVersion = 0x0302
        case "TLS 1.0": tlsVersion = 0x0301
        default: break
        }
    }
}
