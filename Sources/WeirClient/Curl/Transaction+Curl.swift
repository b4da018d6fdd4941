#if !canImport(Darwin)
import CWeirCurl
import Foundation
import FoundationNetworking
import WeirModel

extension Transaction {
    /// What a transfer that is over did.
    init(
        _ transfer: Transfer, _ request: OutgoingRequest, url: RequestURL, head: ResponseHead?, decoded: Int64?,
        digest: BodyDigest?, usesProxy: Bool?
    ) {
        let handle = transfer.handle
        let marks = handle.marks
        self.init(
            request: Request(method: request.method, url: url, headerFields: request.keptFields),
            response: head.map { Response(statusCode: $0.status, headerFields: $0.keptFields) },
            resourceFetchType: marks.usedNetwork ? .networkLoad : .unknown)
        setDates(marks, isComplete: head != nil && handle.result == CURLE_OK && handle.failure == nil)
        isProxyConnection = usesProxy
        if let connection = handle.connection {
            connectionID = connection.id
            isReusedConnection = !handle.openedSocket
            localAddress = connection.localAddress
            localPort = connection.localPort
            remoteAddress = connection.remoteAddress
            remotePort = connection.remotePort
            negotiatedTLSProtocolVersion = connection.tls?.version
            negotiatedTLSCipherSuite = connection.tls?.cipherSuite
            isResumedTLSSession = connection.tls?.isResumed
            networkProtocolName = connection.tls?.alpn
        }
        if marks.requestStart != nil {
            countOfRequestHeaderBytesSent = handle.requestHeaderBytes
            countOfRequestBodyBytesSent = handle.requestBodyBytes
            countOfResponseHeaderBytesReceived = Int64(handle.head.byteCount)
            countOfResponseBodyBytesReceived = handle.wireBytes
            countOfResponseBodyBytesAfterDecoding = decoded
        }
        // What libcurl shows of compressed heads is not what went over the wire.
        defer { if networkProtocolName == "h2" || networkProtocolName == "h3" { setHeadsUnknown() } }
        requestBodyDigest = handle.upload?.digest
        responseBodyDigest = digest
        // An abandoned handle is still libcurl's.
        guard !transfer.isAbandoned, marks.responseStart != nil else { return }
        switch handle.easy.number(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): networkProtocolName = "http/1.0"
        case Int(CURL_HTTP_VERSION_1_1): networkProtocolName = "http/1.1"
        case Int(CURL_HTTP_VERSION_2_0): networkProtocolName = "h2"
        case Int(CURL_HTTP_VERSION_3): networkProtocolName = "h3"
        default: break
        }
    }

    private mutating func setHeadsUnknown() {
        countOfRequestHeaderBytesSent = nil
        countOfResponseHeaderBytesReceived = nil
    }

    private mutating func setDates(_ marks: Marks, isComplete: Bool) {
        fetchStartDate = ProcessClock.date(for: marks.fetchStart)
        // An address needs no lookup, though libcurl goes through the motions.
        if let start = marks.domainLookupStart, !request.url.hostIsAddress {
            domainLookupStartDate = ProcessClock.date(for: start)
            domainLookupEndDate = marks.connectStart.map(ProcessClock.date)
        }
        if let start = marks.connectStart {
            connectStartDate = ProcessClock.date(for: start)
            let ready = marks.requestStart.map(ProcessClock.date)
            connectEndDate = ready
            if let secure = marks.secureConnectionStart {
                secureConnectionStartDate = ProcessClock.date(for: secure)
                secureConnectionEndDate = ready
            }
        }
        requestStartDate = marks.requestStart.map(ProcessClock.date)
        requestEndDate = marks.requestEnd.map(ProcessClock.date)
        responseStartDate = marks.responseStart.map(ProcessClock.date)
        if isComplete { responseEndDate = (marks.lastByte ?? marks.end).map(ProcessClock.date) }
    }
}
#endif
