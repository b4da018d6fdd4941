import Foundation
import Testing
import WeirClient
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The conversion of Apple's metrics, fed with what Apple's classes tell.
@Suite struct TaskMetricsTests {
    struct Task: TaskMetrics {
        var taskInterval: DateInterval
        var redirectCount = 0
        var transactionMetrics: [Exchange]
    }

    struct Exchange: TransactionMetrics {
        var request: URLRequest
        var response: URLResponse?
        var fetchStartDate: Date?
        var domainLookupStartDate: Date?
        var domainLookupEndDate: Date?
        var connectStartDate: Date?
        var secureConnectionStartDate: Date?
        var secureConnectionEndDate: Date?
        var connectEndDate: Date?
        var requestStartDate: Date?
        var requestEndDate: Date?
        var responseStartDate: Date?
        var responseEndDate: Date?
        var networkProtocolName: String? = "h2"
        var isProxyConnection = false
        var isReusedConnection = false
        var isCellular = true
        var isExpensive = true
        var isConstrained = false
        var isMultipath = false
        var localAddress: String? = "192.0.2.1"
        var remoteAddress: String? = "192.0.2.2"
        var countOfRequestHeaderBytesSent: Int64 = 100
        var countOfRequestBodyBytesSent: Int64 = 0
        var countOfResponseHeaderBytesReceived: Int64 = 200
        var countOfResponseBodyBytesReceived: Int64 = 300
        var countOfResponseBodyBytesAfterDecoding: Int64 = 900
        var localPortNumber: Int? = 50_000
        var remotePortNumber: Int? = 443
        var tlsParameters: (version: UInt16?, cipherSuite: UInt16?) = (0x0304, 0x1301)
        var fetchType = Transaction.ResourceFetchType.networkLoad
    }

    private static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

    private func exchange() throws -> Exchange {
        let url = try #require(URL(string: "https://user:pw@a.example/path?q=1"))
        var request = URLRequest(url: url)
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.setValue("text/html", forHTTPHeaderField: "Accept")
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: "HTTP/2",
            headerFields: ["Set-Cookie": "a=b", "Content-Type": "text/html"])
        let start = Self.start
        return Exchange(
            request: request, response: response, fetchStartDate: start, domainLookupStartDate: start + 0.01,
            domainLookupEndDate: start + 0.02, connectStartDate: start + 0.02, secureConnectionStartDate: start + 0.05,
            secureConnectionEndDate: start + 0.09, connectEndDate: start + 0.09, requestStartDate: start + 0.09,
            requestEndDate: start + 0.1, responseStartDate: start + 0.2, responseEndDate: start + 0.25)
    }

    private func record(_ exchanges: [Exchange], failure: (any Error)? = nil) -> TaskRecord {
        let delivery = TaskDelivery(
            TaskRecord.Start(
                id: TaskRecord.nextID(), method: "GET", url: "https://a.example/path?q=1", start: Self.start),
            sessionUnit: nil, observers: [])
        return TaskRecord(
            Task(
                taskInterval: DateInterval(start: Self.start, duration: 0.3), redirectCount: exchanges.count - 1,
                transactionMetrics: exchanges), delivery: delivery, failure: failure)
    }

    @Test func everythingIsTakenOver() throws {
        let record = record([try exchange()])
        #expect(record.start == Self.start)
        #expect(abs(record.duration - 0.3) < 1e-6)
        let outcome = try #require(record.outcome)
        #expect(outcome.request.url.absoluteString == "https://a.example/path?q=1")
        #expect(outcome.request.headerFields == [HeaderField(name: "Accept", value: "text/html")])
        #expect(outcome.response?.headerFields == [HeaderField(name: "Content-Type", value: "text/html")])
        #expect(outcome.resourceFetchType == .networkLoad)
        #expect(abs((outcome.dns ?? 0) - 0.01) < 1e-6)
        #expect(abs((outcome.tls ?? 0) - 0.04) < 1e-6)
        #expect(abs((outcome.waiting ?? 0) - 0.1) < 1e-6)
        #expect(outcome.networkProtocolName == "h2")
        #expect(outcome.isReusedConnection == false)
        #expect(outcome.negotiatedTLSProtocolVersion == 0x0304)
        #expect(outcome.negotiatedTLSCipherSuite == 0x1301)
        #expect(outcome.countOfResponseBodyBytesReceived == 300)
        #expect(outcome.countOfResponseBodyBytesAfterDecoding == 900)
        #expect(outcome.isCellular == true)
        let id = try #require(outcome.connectionID)
        // It is a hash, whose digits may be any.
        #expect(!id.contains("192."))
        var other = try exchange()
        other.localPortNumber = 50_001
        #expect(self.record([other]).outcome?.connectionID != id)
    }

    @Test func cacheHitHasNoConnection() throws {
        var exchange = try exchange()
        exchange.fetchType = .localCache
        let record = record([exchange])
        #expect(record.isCacheHit)
        #expect(record.outcome?.isReusedConnection == nil)
        #expect(record.outcome?.connectionID == nil)
        #expect(record.outcome?.countOfResponseBodyBytesReceived == nil)
        #expect(record.outcome?.countOfResponseBodyBytesAfterDecoding == 900)
    }

    @Test func nothingKnownIsNothingSaid() throws {
        // A task that was cancelled at once: every date is nil.
        let exchange = Exchange(
            request: URLRequest(url: try #require(URL(string: "https://a.example/"))), fetchType: .unknown)
        let record = record([exchange], failure: URLError(.cancelled))
        #expect(record.failure?.code == URLError.Code.cancelled.rawValue)
        #expect(record.outcome?.isReusedConnection == nil)
        #expect(record.outcome?.response == nil)
        #expect(Transaction.Phase.allCases.allSatisfy { record.outcome?.duration(of: $0) == nil })
    }
}
