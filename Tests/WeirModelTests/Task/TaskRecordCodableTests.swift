import Foundation
import Testing
import WeirModel

@Suite struct TaskRecordCodableTests {
    private func fullRecord() -> TaskRecord {
        let t0 = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
        var transaction = Transaction(
            request: .init(
                method: "POST", url: "https://h.example:8443/a?b=c", headerFields: [.init(name: "Accept", value: "*/*")]
            ),
            response: .init(statusCode: 200, headerFields: [.init(name: "Content-Type", value: "text/plain")]),
            resourceFetchType: .networkLoad)
        transaction.fetchStartDate = t0
        transaction.domainLookupStartDate = t0 + 0.001
        transaction.domainLookupEndDate = t0 + 0.002
        transaction.connectStartDate = t0 + 0.002
        transaction.secureConnectionStartDate = t0 + 0.003
        transaction.secureConnectionEndDate = t0 + 0.005
        transaction.connectEndDate = t0 + 0.005
        transaction.requestStartDate = t0 + 0.005
        transaction.requestEndDate = t0 + 0.006
        transaction.responseStartDate = t0 + 0.060
        transaction.responseEndDate = t0 + 0.061
        transaction.networkProtocolName = "h2"
        transaction.connectionID = "7"
        transaction.isReusedConnection = false
        transaction.isProxyConnection = false
        transaction.localAddress = "127.0.0.1"
        transaction.localPort = 5000
        transaction.remoteAddress = "127.0.0.2"
        transaction.remotePort = 8443
        transaction.negotiatedTLSProtocolVersion = 0x0304
        transaction.negotiatedTLSCipherSuite = 0x1301
        transaction.countOfRequestHeaderBytesSent = 10
        transaction.countOfRequestBodyBytesSent = 11
        transaction.countOfResponseHeaderBytesReceived = 12
        transaction.countOfResponseBodyBytesReceived = 13
        transaction.countOfResponseBodyBytesAfterDecoding = 14
        transaction.isCellular = true
        transaction.isExpensive = false
        return TaskRecord(
            id: 42, unit: .init(id: .init(rawValue: "u1"), name: "My loans"), attribution: .taskLocal, start: t0,
            end: t0 + 0.061, redirectCount: 1, transactions: [transaction],
            failure: .init(domain: NSURLErrorDomain, code: -1001, message: "timed out"),
            edges: [
                .init(
                    source: 41, kind: .valueFlow, grade: .likely, sourcePlace: "$.id", targetPlace: "the query item id")
            ],
            isExamined: true, clockResolution: 0.001, schedulingDelay: 0.0005)
    }

    @Test func aRecordReadsBackAsItWas() throws {
        let record = fullRecord()
        let back = try JSONDecoder().decode(TaskRecord.self, from: JSONEncoder().encode(record))
        #expect(back == record)
    }

    @Test func unknownStaysUnknown() throws {
        var record = makeRecord()
        record.clockResolution = 1e-6
        let data = try JSONEncoder().encode(record)
        let text = String(decoding: data, as: UTF8.self)
        #expect(!text.contains("null") && !text.contains("isCellular") && !text.contains("connectStartDate"))
        #expect(try JSONDecoder().decode(TaskRecord.self, from: data) == record)
    }

    @Test func bodiesAreOrdinalsAndNeverDigests() throws {
        var record = makeRecord()
        record.transactions[0].requestBodyDigest = BodyDigest(rawValue: 0xDEAD_BEEF_DEAD_BEEF)
        record.transactions[0].responseBodyDigest = BodyDigest(rawValue: 0xDEAD_BEEF_DEAD_BEEF)
        let encoder = JSONEncoder()
        let bare = String(decoding: try encoder.encode(record), as: UTF8.self)
        #expect(!bare.contains("Body\""))
        encoder.userInfo[try #require(BodyOrdinals.key)] = BodyOrdinals()
        let data = try encoder.encode(record)
        #expect(!String(decoding: data, as: UTF8.self).contains(String(0xDEAD_BEEF_DEAD_BEEF as UInt64)))
        let back = try JSONDecoder().decode(TaskRecord.self, from: data)
        #expect(back.transactions[0].requestBodyDigest != nil)
        #expect(back.transactions[0].requestBodyDigest == back.transactions[0].responseBodyDigest)
    }

    @Test func aBadDateIsAnErrorThatNamesIt() {
        let json = #"{"id":1,"start":"soon","transactions":[]}"#
        #expect {
            try JSONDecoder().decode(TaskRecord.self, from: Data(json.utf8))
        } throws: { error in
            "\(error)".contains("soon")
        }
    }
}
