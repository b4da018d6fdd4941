package import Foundation
package import WeirModel

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// What `URLSessionTaskMetrics` tells; a protocol, since nobody but the system can make one.
package protocol TaskMetrics {
    associatedtype TransactionMetrics: WeirClient.TransactionMetrics

    var taskInterval: DateInterval { get }
    var redirectCount: Int { get }
    var transactionMetrics: [TransactionMetrics] { get }
}

/// What `URLSessionTaskTransactionMetrics` tells, under its names.
///
/// The last four stand for properties whose types differ between platforms.
package protocol TransactionMetrics {
    var request: URLRequest { get }
    var response: URLResponse? { get }
    var fetchStartDate: Date? { get }
    var domainLookupStartDate: Date? { get }
    var domainLookupEndDate: Date? { get }
    var connectStartDate: Date? { get }
    var secureConnectionStartDate: Date? { get }
    var secureConnectionEndDate: Date? { get }
    var connectEndDate: Date? { get }
    var requestStartDate: Date? { get }
    var requestEndDate: Date? { get }
    var responseStartDate: Date? { get }
    var responseEndDate: Date? { get }
    var networkProtocolName: String? { get }
    var isProxyConnection: Bool { get }
    var isReusedConnection: Bool { get }
    var isCellular: Bool { get }
    var isExpensive: Bool { get }
    var isConstrained: Bool { get }
    var isMultipath: Bool { get }
    var localAddress: String? { get }
    var remoteAddress: String? { get }
    var countOfRequestHeaderBytesSent: Int64 { get }
    var countOfRequestBodyBytesSent: Int64 { get }
    var countOfResponseHeaderBytesReceived: Int64 { get }
    var countOfResponseBodyBytesReceived: Int64 { get }
    var countOfResponseBodyBytesAfterDecoding: Int64 { get }

    var localPortNumber: Int? { get }
    var remotePortNumber: Int? { get }
    /// Version and cipher suite as on the wire.
    var tlsParameters: (version: UInt16?, cipherSuite: UInt16?) { get }
    var fetchType: Transaction.ResourceFetchType { get }
}

extension TaskRecord {
    /// The record of a task that `URLSession` has measured; bodies are not seen, so there are no digests.
    package init(_ metrics: some TaskMetrics, delivery: TaskDelivery, failure: (any Error)?) {
        self.init(
            id: delivery.start.id, unit: delivery.unit, attribution: delivery.attribution,
            start: metrics.taskInterval.start, end: metrics.taskInterval.end, redirectCount: metrics.redirectCount,
            transactions: metrics.transactionMetrics.map { Transaction($0) }, failure: failure.map(Failure.init))
    }
}

extension Transaction {
    /// A transaction that `URLSession` has measured.
    package init(_ metrics: some TransactionMetrics) {
        let fields = metrics.request.allHTTPHeaderFields ?? [:]
        self.init(
            request: Request(
                method: metrics.request.httpMethod ?? "GET",
                url: RequestURL(withoutUserInfo: metrics.request.url?.absoluteString ?? ""),
                headerFields: Self.kept(fields, HeaderField.keptInRequests)),
            response: (metrics.response as? HTTPURLResponse).map { response in
                var fields: [String: String] = [:]
                for (name, value) in response.allHeaderFields { fields["\(name)"] = "\(value)" }
                return Response(
                    statusCode: response.statusCode, headerFields: Self.kept(fields, HeaderField.keptInResponses))
            },
            resourceFetchType: metrics.fetchType)
        fetchStartDate = metrics.fetchStartDate
        domainLookupStartDate = metrics.domainLookupStartDate
        domainLookupEndDate = metrics.domainLookupEndDate
        connectStartDate = metrics.connectStartDate
        secureConnectionStartDate = metrics.secureConnectionStartDate
        secureConnectionEndDate = metrics.secureConnectionEndDate
        connectEndDate = metrics.connectEndDate
        requestStartDate = metrics.requestStartDate
        requestEndDate = metrics.requestEndDate
        responseStartDate = metrics.responseStartDate
        responseEndDate = metrics.responseEndDate
        countOfResponseBodyBytesAfterDecoding = metrics.countOfResponseBodyBytesAfterDecoding
        // What was answered from a cache used no connection and no network: unknown is not "no", and not zero bytes.
        guard metrics.fetchType != .localCache else { return }
        networkProtocolName = metrics.networkProtocolName
        isProxyConnection = metrics.isProxyConnection
        isReusedConnection = metrics.requestStartDate == nil ? nil : metrics.isReusedConnection
        isCellular = metrics.isCellular
        isExpensive = metrics.isExpensive
        isConstrained = metrics.isConstrained
        isMultipath = metrics.isMultipath
        localAddress = metrics.localAddress
        localPort = metrics.localPortNumber
        remoteAddress = metrics.remoteAddress
        remotePort = metrics.remotePortNumber
        connectionID = Self.connectionID(metrics)
        negotiatedTLSProtocolVersion = metrics.tlsParameters.version
        negotiatedTLSCipherSuite = metrics.tlsParameters.cipherSuite
        countOfRequestHeaderBytesSent = metrics.countOfRequestHeaderBytesSent
        countOfRequestBodyBytesSent = metrics.countOfRequestBodyBytesSent
        countOfResponseHeaderBytesReceived = metrics.countOfResponseHeaderBytesReceived
        countOfResponseBodyBytesReceived = metrics.countOfResponseBodyBytesReceived
    }

    /// Both ends' addresses and ports name a connection; hashed with the process's salt, since they are nobody's business.
    private static func connectionID(_ metrics: some TransactionMetrics) -> String? {
        guard let localPort = metrics.localPortNumber, let remotePort = metrics.remotePortNumber else { return nil }
        var hasher = Hasher()
        hasher.combine(metrics.localAddress)
        hasher.combine(localPort)
        hasher.combine(metrics.remoteAddress)
        hasher.combine(remotePort)
        return String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    private static func kept(_ fields: [String: String], _ names: Set<String>) -> [HeaderField] {
        fields.filter { names.contains($0.key.lowercased()) }
            .map { HeaderField(name: $0.key, value: $0.value) }
            .sorted { $0.name < $1.name }
    }
}
