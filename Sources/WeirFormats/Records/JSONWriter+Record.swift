import Foundation
import WeirModel

extension JSONWriter {
    /// Writes a record as record files have it.
    mutating func record(_ record: TaskRecord, _ ordinals: BodyOrdinals) {
        beginObject()
        taskMembers(record)
        key("transactions")
        beginArray()
        for transaction in record.transactions {
            beginObject()
            key("request")
            beginObject()
            member("method", transaction.request.method)
            member("url", transaction.request.url.absoluteString)
            headerFields(transaction.request.headerFields)
            endObject()
            if let response = transaction.response {
                key("response")
                beginObject()
                member("statusCode", response.statusCode)
                headerFields(response.headerFields)
                endObject()
            }
            transactionMembers(transaction, ordinals)
            endObject()
        }
        endArray()
        endObject()
    }

    /// Writes the members of a record but its transactions.
    mutating func taskMembers(_ record: TaskRecord) {
        member("id", record.id)
        if let unit = record.unit {
            key("unit")
            beginObject()
            member("id", unit.id.rawValue)
            member("name", unit.name)
            endObject()
        }
        member("attribution", record.attribution.rawValue)
        member("start", Timestamp.string(from: record.start))
        member("end", Timestamp.string(from: record.end))
        milliseconds("durationMilliseconds", record.duration)
        member("redirectCount", record.redirectCount)
        if let failure = record.failure {
            key("failure")
            beginObject()
            member("domain", failure.domain)
            member("code", failure.code)
            member("message", failure.message)
            endObject()
        }
        milliseconds("clockResolutionMilliseconds", max(record.clockResolution, 1e-6))
        milliseconds("schedulingDelayMilliseconds", record.schedulingDelay)
        if !record.edges.isEmpty {
            key("edges")
            beginArray()
            for edge in record.edges {
                beginObject()
                member("source", edge.source)
                member("kind", edge.kind.rawValue)
                member("grade", edge.grade.rawValue)
                member("sourcePlace", edge.sourcePlace)
                member("targetPlace", edge.targetPlace)
                endObject()
            }
            endArray()
        }
        if record.isExamined { member("isExamined", true) }
    }

    /// Writes the members of a transaction but its request and its response.
    mutating func transactionMembers(_ transaction: Transaction, _ ordinals: BodyOrdinals) {
        member("resourceFetchType", transaction.resourceFetchType.rawValue)
        for field in TransactionFields.dates {
            member(field.name, transaction[keyPath: field.path].map { Timestamp.string(from: $0) })
        }
        for field in TransactionFields.counts { member(field.name, transaction[keyPath: field.path]) }
        for field in TransactionFields.flags { member(field.name, transaction[keyPath: field.path]) }
        for field in TransactionFields.texts { member(field.name, transaction[keyPath: field.path]) }
        for field in TransactionFields.ports { member(field.name, transaction[keyPath: field.path]) }
        for field in TransactionFields.codes { member(field.name, transaction[keyPath: field.path]) }
        for field in TransactionFields.digests {
            member(field.name, transaction[keyPath: field.path].map(ordinals.ordinal))
        }
    }

    private mutating func headerFields(_ fields: [HeaderField]) {
        key("headerFields")
        nameValuePairs(fields.map { ($0.name[...], $0.value[...]) })
    }

    /// Writes an array of objects with `name` and `value`.
    mutating func nameValuePairs(_ pairs: [(name: Substring, value: Substring)]) {
        beginArray()
        for pair in pairs {
            beginObject()
            member("name", pair.name)
            member("value", pair.value)
            endObject()
        }
        endArray()
    }

    private mutating func milliseconds(_ name: StaticString, _ seconds: TimeInterval?) {
        guard let seconds, seconds.isFinite else { return }
        member(name, (seconds * 1e6).rounded() / 1000)
    }
}
