import Foundation
import WeirModel

/// A recording's zero, for tests that write times in milliseconds.
let zero = Date(timeIntervalSinceReferenceDate: 700_000_000)

func at(_ milliseconds: Double) -> Date { zero + milliseconds / 1000 }

/// A finished task that ran from `start` to `end`, in milliseconds, over one transaction.
func task(
    _ start: Double,
    _ end: Double,
    _ url: RequestURL = "http://h/x",
    method: String = "GET",
    queued: Double = 0,
    status: Int? = 200,
    wire: Int64? = 100,
    decoded: Int64? = 100,
    reused: Bool? = true,
    from source: Transaction.ResourceFetchType = .networkLoad,
    headers: [HeaderField] = [],
    body: UInt64? = nil,
    failure: TaskRecord.Failure? = nil,
    redirects: Int = 0,
    resolution: Double = 0
) -> TaskRecord {
    var transaction = Transaction(
        request: .init(method: method, url: url, headerFields: headers),
        response: status.map { .init(statusCode: $0) }, resourceFetchType: source)
    transaction.fetchStartDate = at(start)
    if source == .networkLoad {
        transaction.requestStartDate = at(start + queued)
        transaction.requestEndDate = at(start + queued)
        transaction.responseStartDate = at(end)
        transaction.responseEndDate = at(end)
        transaction.isReusedConnection = reused
    }
    transaction.countOfResponseBodyBytesReceived = wire
    transaction.countOfResponseBodyBytesAfterDecoding = decoded
    transaction.requestBodyDigest = body.map(BodyDigest.init)
    return TaskRecord(
        id: TaskRecord.nextID(), start: at(start), end: at(end), redirectCount: redirects, transactions: [transaction],
        failure: failure, clockResolution: resolution)
}

/// So many tasks, one starting every `step` ms and lasting `length` ms.
func series(_ count: Int, every step: Double, lasting length: Double, url: (Int) -> String = { _ in "http://h/x" })
    -> [TaskRecord]
{
    (0..<count).map { (index: Int) -> TaskRecord in
        let start: Double = Double(index) * step
        return task(start, start + length, RequestURL(url(index)))
    }
}
