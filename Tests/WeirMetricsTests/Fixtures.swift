import Foundation
import WeirModel

@testable import WeirMetrics

/// A task over the network, with times in milliseconds.
struct SampleTask {
    var id: UInt64 = 1
    var url: RequestURL = "https://api.example.com/v1/books/4711?token=secret"
    var method = "GET"
    var status: Int? = 200
    var start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    var queueing: Double = 1
    /// Name lookup, connect with TLS, and TLS alone; nil for a connection that was there.
    var handshake: (dns: Double, connect: Double, tls: Double)?
    var waiting: Double = 20
    var download: Double = 2
    var failure: TaskRecord.Failure?
    var unit: String?

    var record: TaskRecord {
        var transaction = Transaction(
            request: .init(method: method, url: url), response: status.map { .init(statusCode: $0) },
            resourceFetchType: .networkLoad)
        var now = start
        func pass(_ milliseconds: Double) -> Date {
            now += milliseconds / 1000
            return now
        }
        transaction.fetchStartDate = now
        let asked = pass(queueing)
        if let handshake {
            transaction.domainLookupStartDate = asked
            transaction.domainLookupEndDate = pass(handshake.dns)
            transaction.connectStartDate = now
            transaction.secureConnectionStartDate = pass(handshake.connect - handshake.tls)
            transaction.secureConnectionEndDate = pass(handshake.tls)
            transaction.connectEndDate = now
        }
        transaction.isReusedConnection = handshake == nil
        transaction.requestStartDate = now
        transaction.requestEndDate = now
        transaction.responseStartDate = pass(waiting)
        transaction.responseEndDate = pass(download)
        transaction.networkProtocolName = "h2"
        transaction.countOfResponseBodyBytesReceived = 300
        transaction.countOfResponseBodyBytesAfterDecoding = 1_000
        transaction.countOfRequestBodyBytesSent = 10
        return TaskRecord(
            id: id, unit: unit.map { .init(id: .init(rawValue: $0), name: $0) }, start: start, end: now,
            transactions: [transaction], failure: failure)
    }
}

extension MetricsRecorder {
    /// Records a sample with some things changed.
    func record(_ change: (inout SampleTask) -> Void = { _ in }) {
        var task = SampleTask()
        change(&task)
        taskDidFinish(task.record)
    }
}
