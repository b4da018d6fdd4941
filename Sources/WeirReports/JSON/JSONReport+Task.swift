import Foundation
import WeirModel

extension JSONReport {
    /// One task; times are milliseconds from `origin`.
    static func task(_ record: TaskRecord, number: Int, origin: Date) -> JSONText {
        let first = record.transactions.first?.request
        return [
            "number": JSONText(number),
            "id": JSONText(String(record.id)),
            "method": JSONText(first?.method),
            "url": JSONText(first?.url.absoluteString),
            "status": JSONText(record.outcome?.response?.statusCode),
            "startMs": milliseconds(origin, record.start),
            "durationMs": JSONText(record.duration * 1000),
            "wireBytes": sum(record.transactions.map(\.countOfResponseBodyBytesReceived)),
            "decodedBytes": JSONText(
                record.deliveredIndex.flatMap { record.transactions[$0].countOfResponseBodyBytesAfterDecoding }),
            "redirects": JSONText(record.redirectCount),
            "fromCache": .bool(record.isCacheHit),
            "failure": failure(record.failure),
            "unit": JSONText(record.unit?.name),
            "transactions": .array(record.transactions.map { transaction($0, origin: origin) }),
        ]
    }

    private static func transaction(_ transaction: Transaction, origin: Date) -> JSONText {
        [
            "method": JSONText(transaction.request.method),
            "url": JSONText(transaction.request.url.absoluteString),
            "status": JSONText(transaction.response?.statusCode),
            "fetchType": .string(transaction.resourceFetchType.rawValue),
            "protocol": JSONText(transaction.networkProtocolName),
            "connection": JSONText(transaction.connectionID),
            "reusedConnection": JSONText(transaction.isReusedConnection),
            "fetchStartMs": milliseconds(origin, transaction.fetchStartDate),
            "requestStartMs": milliseconds(origin, transaction.requestStartDate),
            "responseEndMs": milliseconds(origin, transaction.responseEndDate),
            "phasesMs": .object(
                Transaction.Phase.allCases.map { phase in
                    .init(phase.rawValue, JSONText(transaction.duration(of: phase).map { $0 * 1000 }))
                }),
            "wireBytes": JSONText(transaction.countOfResponseBodyBytesReceived),
            "decodedBytes": JSONText(transaction.countOfResponseBodyBytesAfterDecoding),
            "requestBodyBytes": JSONText(transaction.countOfRequestBodyBytesSent),
        ]
    }

    /// A task that was not done.
    static func openTask(_ task: TaskRecord.Start, origin: Date) -> JSONText {
        [
            "id": JSONText(String(task.id)),
            "method": JSONText(task.method),
            "url": JSONText(task.url.absoluteString),
            "startMs": milliseconds(origin, task.start),
        ]
    }

    private static func failure(_ failure: TaskRecord.Failure?) -> JSONText {
        guard let failure else { return .null }
        return [
            "domain": JSONText(failure.domain), "code": JSONText(failure.code),
            "message": JSONText(failure.message),
        ]
    }

    private static func milliseconds(_ origin: Date, _ date: Date?) -> JSONText {
        JSONText(date.map { ($0.timeIntervalSinceReferenceDate - origin.timeIntervalSinceReferenceDate) * 1000 })
    }

    private static func sum(_ values: [Int64?]) -> JSONText {
        let known = values.compactMap { $0 }
        guard !known.isEmpty else { return .null }
        return JSONText(known.reduce(0) { $0.addingReportingOverflow($1).partialValue })
    }
}
