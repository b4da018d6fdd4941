import Foundation
package import WeirModel

/// Tasks as a session would deliver them, without a network.
package enum TaskSample {
    package static func begin(_ url: RequestURL) -> TaskDelivery {
        let start = TaskRecord.Start(id: TaskRecord.nextID(), method: "GET", url: url, start: ProcessClock.now)
        return TaskDelivery(start, sessionUnit: nil, observers: [])
    }

    package static func finish(_ delivery: TaskDelivery, bytes: Int64 = 10) {
        var transaction = Transaction(
            request: .init(url: delivery.start.url), response: .init(statusCode: 200), resourceFetchType: .networkLoad)
        transaction.requestStartDate = delivery.start.start
        // Long enough that those of one test overlap, however busy the machine is.
        transaction.responseEndDate = delivery.start.start + 60
        transaction.countOfResponseBodyBytesReceived = bytes
        transaction.countOfResponseBodyBytesAfterDecoding = bytes
        delivery.finish(
            TaskRecord(
                id: delivery.start.id, unit: delivery.unit, attribution: delivery.attribution,
                start: delivery.start.start, end: delivery.start.start + 60, transactions: [transaction]))
    }

    package static func run(_ url: RequestURL = "http://h/x", bytes: Int64 = 10) { finish(begin(url), bytes: bytes) }
}
