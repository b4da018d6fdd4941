import Foundation
import WeirModel

/// A finished task of one transaction, for tests.
func makeRecord(id: UInt64 = TaskRecord.nextID(), url: RequestURL = "http://h/x", delivery: TaskDelivery? = nil)
    -> TaskRecord
{
    let start = Date(timeIntervalSince1970: 1_000)
    return TaskRecord(
        id: id, unit: delivery?.unit, attribution: delivery?.attribution ?? .none, start: start, end: start + 0.05,
        transactions: [Transaction(request: .init(url: url), response: .init(statusCode: 200))])
}

func makeStart(url: RequestURL = "http://h/x") -> TaskRecord.Start {
    TaskRecord.Start(id: TaskRecord.nextID(), method: "GET", url: url, start: Date(timeIntervalSince1970: 1_000))
}
