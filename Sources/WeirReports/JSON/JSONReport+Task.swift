import Foundation
import WeirModel

extension JSONReport {
    /// One task; times are milliseconds from `origin`.
    static func task(_ record: TaskRecord, number: Int, origin: Date) -> JSONValue {
        let first = record.transactions.first?.request
        return [
            "number": JSONValue(number),
            "id": JSONValue(String(record.id)),
            "method": JSONValue(first?.method),
            "url": JSONValue(first?.url.absoluteString),
            "status": JSONValue(record.outcome?.response?.statusCode),
            "startMs": milliseconds(origin, record.start),
            "durationMs": JSONValue(record.duration * 1000),
            "wireBytes": sum(record.transactions.map(\.countOfResponseBodyBytesReceived)),
            "decodedBytes": JSONValue(record.outcome?.countOfResponseBodyBytesAfterDecoding),
            "redirects": JSONValue(record.redirectCount),
            "fromCache": .bool(record.isCacheHit),
            "failure": failure(record.failure),
            "unit": JSONValue(record.unit?.name),
            "transactions": .array(record.transactions.map { transaction($0, origin: origin) }),
        ]
    }

    private static func transaction(_ transaction: Transaction, origin: Date) -> JSONValue {
        [
            "method": JSONValue(transaction.request.method),
            "url": JSONValue(transaction.request.url.absoluteString),
            "status": JSONValue(transaction.response?.statusCode),
            "fetchType": .string(transaction.resourceFetchType.rawValue),
            "protocol": JSONValue(transaction.networkProtocolName),
            "connection": JSONValue(transaction.connectionID),
            "reusedConnection": JSONValue(transaction.isReusedConnection),
            "fetchStartMs": milliseconds(origin, transaction.fetchStartDate),
            "requestStartMs": milliseconds(origin, transaction.requestStartDate),
            "responseEndMs": milliseconds(origin, transaction.responseEndDate),
            "phasesMs": .object(
                Transaction.Phase.allCases.map { phase in
                    .init(phase.rawValue, JSONValue(transaction.duration(of: phase).map { $0 * 1000 }))
                }),
            "wireBytes": JSONValue(transaction.countOfResponseBodyBytesReceived),
            "decodedBytes": JSONValue(transaction.countOfResponseBodyBytesAfterDecoding),
            "requestBodyBytes": JSONValue(transaction.countOfRequestBodyBytesSent),
        ]
    }

    /// A task that was not done.
    static func openTask(_ task: TaskRecord.Start, origin: Date) -> JSONValue {
        [
            "id": JSONValue(String(task.id)),
            "method": JSONValue(task.method),
            "url": JSONValue(task.url.absoluteString),
            "startMs": milliseconds(origin, task.start),
        ]
    }

    private static func failure(_ failure: TaskRecord.Failure?) -> JSONValue {
        guard let failure else { return .null }
        return [
            "domain": JSONValue(failure.domain), "code": JSONValue(failure.code),
            "message": JSONValue(failure.message),
        ]
    }

    private static func milliseconds(_ origin: Date, _ date: Date?) -> JSONValue {
        JSONValue(date.map { ($0.timeIntervalSinceReferenceDate - origin.timeIntervalSinceReferenceDate) * 1000 })
    }

    private static func sum(_ values: [Int64?]) -> JSONValue {
        let known = values.compactMap { $0 }
        guard !known.isEmpty else { return .null }
        return JSONValue(known.reduce(0) { $0.addingReportingOverflow($1).partialValue })
    }
}
