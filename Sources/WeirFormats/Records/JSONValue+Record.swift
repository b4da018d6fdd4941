import Foundation
import WeirModel

/// Reads records from JSON by hand: what `Codable` reads, at many times its speed.
///
/// It answers only where it is sure to answer as `Codable` does; anything else (a missing or repeated member, a value of
/// another type, a date that is none) is nil, and left to `Codable`, which also knows what to say about it.
struct RecordFields {
    /// A record.
    static func record(_ value: JSONValue) -> TaskRecord? {
        guard var record = task(value), let list = value["transactions"], list.isArray else { return nil }
        for element in list.elements {
            guard let request = element["request"], request.isObject, let method = request["method"]?.string,
                let url = request["url"]?.string, let fields = headerFields(request["headerFields"]),
                var transaction = transaction(
                    element, .init(method: method, url: RequestURL(url), headerFields: fields))
            else { return nil }
            if let response = element["response"], !response.isNull {
                guard let status = integer(response["statusCode"]), let code = Int(exactly: status),
                    let fields = headerFields(response["headerFields"])
                else { return nil }
                transaction.response = .init(statusCode: code, headerFields: fields)
            }
            record.transactions.append(transaction)
        }
        return record
    }

    /// A record without its transactions.
    static func task(_ value: JSONValue) -> TaskRecord? {
        guard let members = Members(value), let id = unsigned(members["id"]), let start = date(members["start"]) else {
            return nil
        }
        var end: Date
        if let text = members["end"] {
            guard let date = date(text) else { return nil }
            end = date
        } else {
            guard let duration = milliseconds(members["durationMilliseconds"]) else { return nil }
            end = start + (duration ?? 0)
        }
        end = max(start, end)
        var record = TaskRecord(id: id, start: start, end: end, transactions: [])
        if let unit = members["unit"] {
            guard let id = unit["id"]?.string, let name = unit["name"]?.string else { return nil }
            record.unit = UnitOfWork.Reference(id: UnitOfWork.ID(rawValue: id), name: name)
        }
        if let text = members["attribution"] {
            guard let attribution = text.string.flatMap(TaskRecord.Attribution.init) else { return nil }
            record.attribution = attribution
        }
        if let count = members["redirectCount"] {
            guard let count = integer(count), let count = Int(exactly: count) else { return nil }
            record.redirectCount = count
        }
        if let failure = members["failure"] {
            guard let domain = failure["domain"]?.string, let code = integer(failure["code"]),
                let code = Int(exactly: code), let message = failure["message"]?.string
            else { return nil }
            record.failure = TaskRecord.Failure(domain: domain, code: code, message: message)
        }
        if let list = members["edges"] {
            guard list.isArray else { return nil }
            for element in list.elements {
                guard let edge = edge(element) else { return nil }
                record.edges.append(edge)
            }
        }
        if let flag = members["isExamined"] {
            guard let flag = flag.bool else { return nil }
            record.isExamined = flag
        }
        guard let resolution = milliseconds(members["clockResolutionMilliseconds"]),
            let delay = milliseconds(members["schedulingDelayMilliseconds"])
        else { return nil }
        record.clockResolution = max(1e-6, resolution ?? 0)
        record.schedulingDelay = delay
        return record
    }

    /// A transaction but its response, for a request that is known.
    static func transaction(_ value: JSONValue, _ request: Transaction.Request) -> Transaction? {
        guard let members = Members(value) else { return nil }
        var result = Transaction(request: request)
        if let text = members["resourceFetchType"] {
            guard let type = text.string.flatMap(Transaction.ResourceFetchType.init) else { return nil }
            result.resourceFetchType = type
        }
        for field in TransactionFields.dates {
            guard let value = members[field.name] else { continue }
            guard let date = date(value) else { return nil }
            result[keyPath: field.path] = date
        }
        for field in TransactionFields.counts {
            guard let value = members[field.name] else { continue }
            guard let count = integer(value) else { return nil }
            // A negative count is what some writers put for unknown.
            result[keyPath: field.path] = count < 0 ? nil : count
        }
        for field in TransactionFields.flags {
            guard let value = members[field.name] else { continue }
            guard let flag = value.bool else { return nil }
            result[keyPath: field.path] = flag
        }
        for field in TransactionFields.texts {
            guard let value = members[field.name] else { continue }
            guard let text = value.string else { return nil }
            result[keyPath: field.path] = text
        }
        for field in TransactionFields.ports {
            guard let value = members[field.name] else { continue }
            guard let port = integer(value).flatMap(Int.init(exactly:)) else { return nil }
            result[keyPath: field.path] = port
        }
        for field in TransactionFields.codes {
            guard let value = members[field.name] else { continue }
            guard let code = integer(value).flatMap(UInt16.init(exactly:)) else { return nil }
            result[keyPath: field.path] = code
        }
        for field in TransactionFields.digests {
            guard let value = members[field.name] else { continue }
            guard let digest = unsigned(value) else { return nil }
            result[keyPath: field.path] = BodyDigest(rawValue: digest)
        }
        return result
    }

    private static func edge(_ value: JSONValue) -> TaskRecord.Edge? {
        guard let source = unsigned(value["source"]),
            let kind = value["kind"]?.string.flatMap(TaskRecord.Edge.Kind.init),
            let grade = value["grade"]?.string.flatMap(TaskRecord.Edge.Grade.init),
            let sourcePlace = value["sourcePlace"]?.string, let targetPlace = value["targetPlace"]?.string
        else { return nil }
        return .init(source: source, kind: kind, grade: grade, sourcePlace: sourcePlace, targetPlace: targetPlace)
    }

    private static func headerFields(_ value: JSONValue?) -> [HeaderField]? {
        guard let value, value.isArray else { return nil }
        var fields: [HeaderField] = []
        for element in value.elements {
            guard let name = element["name"]?.string, let value = element["value"]?.string else { return nil }
            fields.append(HeaderField(name: name, value: value))
        }
        return fields
    }

    private static func date(_ value: JSONValue?) -> Date? { value?.string.flatMap { Timestamp.date(from: $0) } }

    /// Seconds; nil inside where there is none, nil outside where it is not sure.
    private static func milliseconds(_ value: JSONValue?) -> TimeInterval?? {
        guard let value else { return .some(nil) }
        guard let number = value.number, number >= 0 else { return nil }
        return .some(number / 1000)
    }

    /// A whole number that is written as one.
    private static func integer(_ value: JSONValue?) -> Int64? {
        guard let value, let (digits, isNegative) = value.wholeNumber, digits <= UInt64(Int64.max) else { return nil }
        return isNegative ? -Int64(digits) : Int64(digits)
    }

    private static func unsigned(_ value: JSONValue?) -> UInt64? {
        guard let value, let (digits, isNegative) = value.wholeNumber, !isNegative else { return nil }
        return digits
    }

    /// The members of an object whose names are all different and not escaped; null ones do not count.
    private struct Members {
        private let names: [(name: JSONValue, value: JSONValue)]

        init?(_ value: JSONValue) {
            guard value.isObject else { return nil }
            var names: [(name: JSONValue, value: JSONValue)] = []
            names.reserveCapacity(32)
            for (name, value) in value.members { names.append((name, value)) }
            self.names = names
        }

        subscript(name: StaticString) -> JSONValue? {
            for (key, value) in names where key.isString(name) { return value.isNull ? nil : value }
            return nil
        }
    }
}

extension JSONValue {
    /// Whether an object or one inside it has two members of one name, or a name with an escape in it.
    var hasOddNames: Bool {
        if isArray { return elements.contains(where: \.hasOddNames) }
        guard isObject else { return false }
        var names: [JSONValue] = []
        for (name, value) in members {
            if name.isEscapedString || value.hasOddNames { return true }
            if names.contains(where: { $0.isSameText(as: name) }) { return true }
            names.append(name)
        }
        return false
    }

    /// The digits of a number without fraction and exponent, and its sign; nil when they are too many.
    fileprivate var wholeNumber: (digits: UInt64, isNegative: Bool)? {
        withNumberBytes { bytes in
            let isNegative = bytes.first == UInt8(ascii: "-")
            var value: UInt64 = 0
            for byte in bytes.dropFirst(isNegative ? 1 : 0) {
                guard byte &- 0x30 < 10 else { return nil }
                let (product, isOver) = value.multipliedReportingOverflow(by: 10)
                let (sum, isOverAgain) = product.addingReportingOverflow(UInt64(byte - 0x30))
                guard !isOver, !isOverAgain else { return nil }
                value = sum
            }
            return (value, isNegative)
        }
    }
}
