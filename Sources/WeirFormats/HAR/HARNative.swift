import Foundation
import WeirModel

/// What Weir itself wrote into an entry (see ``HARWriter``): the facts from which the entry was made.
///
/// A class, since few files have it and it is as large as all else that an entry says.
final class HARNative: Sendable {
    /// The task, without its transactions.
    let task: TaskRecord
    /// The place of this transaction in the task, from 0.
    let index: Int
    /// How many transactions the task has; 0 for one that never came to any.
    let count: Int
    /// The transaction, or nil for a task that has none.
    let transaction: Transaction?

    init(task: TaskRecord, index: Int, count: Int, transaction: Transaction?) {
        self.task = task
        self.index = index
        self.count = count
        self.transaction = transaction
    }

    /// Reads an entry's `_weir` members; nil when there are none, or what they say cannot be relied on.
    ///
    /// - Parameter entry: The same entry as any other program would read it.
    convenience init?(_ value: HARMembers, _ entry: HAREntry) {
        guard let task = value[.weirTask]?.value else { return nil }
        self.init(task, facts: value[.weirTransaction]?.value, entry)
    }

    private init?(_ taskValue: JSONValue, facts: JSONValue?, _ entry: HAREntry) {
        guard taskValue.isObject, let task = RecordFields.task(taskValue),
            let index = taskValue["transaction"]?.number.flatMap(Int.init(exactly:)),
            let count = taskValue["transactions"]?.number.flatMap(Int.init(exactly:)),
            0..<max(1, count) ~= index, count < 1_000_000
        else { return nil }
        self.task = task
        self.index = index
        self.count = count
        guard count > 0 else {
            transaction = nil
            return
        }
        guard let facts,
            var transaction = RecordFields.transaction(facts, entry.request)
        else { return nil }
        if facts["hasResponse"]?.bool == true {
            guard let status = entry.status else { return nil }
            transaction.response = .init(statusCode: status, headerFields: entry.responseHeaderFields)
        }
        self.transaction = transaction
    }

    /// The records of a page's entries, by start: those tasks of which all transactions are there.
    ///
    /// - Returns: The records, and the entries whose tasks are not complete, which are to be read as any other.
    static func records(_ entries: [HAREntry]) -> (records: [TaskRecord], rest: [HAREntry]) {
        guard entries.contains(where: { $0.native != nil }) else { return ([], entries) }
        var places: [TaskRecord.ID: [Int]] = [:]
        var order: [TaskRecord.ID] = []
        var rest: [HAREntry] = []
        for (place, entry) in entries.enumerated() {
            guard let native = entry.native else {
                rest.append(entry)
                continue
            }
            if places[native.task.id] == nil { order.append(native.task.id) }
            places[native.task.id, default: []].append(place)
        }
        var records: [TaskRecord] = []
        for id in order {
            let own = places[id] ?? []
            let natives = own.compactMap { entries[$0].native }
            // Files that were put together can hold two tasks of one id: then nothing is certain.
            guard natives.map(\.index) == Array(0..<max(1, natives[0].count)),
                natives.allSatisfy({ $0.count == natives[0].count })
            else {
                rest += own.map { entries[$0] }
                continue
            }
            var record = natives[0].task
            record.transactions = natives.compactMap(\.transaction)
            records.append(record)
        }
        rest.sort { $0.index < $1.index }
        return (records.sorted { ($0.start, $0.id) < ($1.start, $1.id) }, rest)
    }
}

extension PackedWriter {
    /// Adds what Weir wrote into an entry.
    mutating func add(_ native: HARNative?) {
        guard let native else { return add(0 as UInt64) }
        add(native.transaction == nil ? 1 as UInt64 : 2)
        add(UInt64(native.index))
        add(UInt64(native.count))
        let task = native.task
        add(task.id)
        addShared(task.unit?.id.rawValue)
        addShared(task.unit?.name)
        addShared(task.attribution.rawValue)
        addBits(task.start.timeIntervalSinceReferenceDate.bitPattern)
        addBits(task.end.timeIntervalSinceReferenceDate.bitPattern)
        add(UInt64(max(0, task.redirectCount)))
        addShared(task.failure?.domain)
        addShared(task.failure?.message)
        add(task.failure.map { Int64($0.code) })
        add(task.clockResolution as Double?)
        add(task.schedulingDelay)
        add(task.isExamined ? 1 as UInt64 : 0)
        add(UInt64(task.edges.count))
        for edge in task.edges {
            add(edge.source)
            addShared(edge.kind.rawValue)
            addShared(edge.grade.rawValue)
            addShared(edge.sourcePlace)
            addShared(edge.targetPlace)
        }
        guard let transaction = native.transaction else { return }
        addShared(transaction.resourceFetchType.rawValue)
        add(transaction.response == nil ? 0 as UInt64 : 1)
        for field in TransactionFields.dates {
            let date = transaction[keyPath: field.path]
            add(date == nil ? 0 as UInt64 : 1)
            if let date { addBits(date.timeIntervalSinceReferenceDate.bitPattern) }
        }
        for field in TransactionFields.counts { add(transaction[keyPath: field.path]) }
        for field in TransactionFields.flags { add(transaction[keyPath: field.path].map { $0 ? Int64(1) : 0 }) }
        for field in TransactionFields.texts { addShared(transaction[keyPath: field.path]) }
        for field in TransactionFields.ports { add(transaction[keyPath: field.path].map { Int64($0) }) }
        for field in TransactionFields.codes { add(transaction[keyPath: field.path].map { Int64($0) }) }
        for field in TransactionFields.digests {
            add(transaction[keyPath: field.path].map { Int64(bitPattern: $0.rawValue) })
        }
    }
}

extension PackedReader {
    /// Reads what Weir wrote into an entry.
    ///
    /// - Parameter kind: What comes first of it: whether there is anything, and a transaction.
    mutating func native(_ kind: UInt64, _ entry: HAREntry) -> HARNative? {
        guard kind > 0 else { return nil }
        let index = Int(clamping: unsigned())
        let count = Int(clamping: unsigned())
        let id = unsigned()
        let unitID = shared()
        let unitName = shared()
        let attribution = shared().flatMap(TaskRecord.Attribution.init) ?? .none
        let start = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits()))
        let end = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits()))
        var task = TaskRecord(id: id, attribution: attribution, start: start, end: end, transactions: [])
        if let unitID, let unitName { task.unit = .init(id: .init(rawValue: unitID), name: unitName) }
        task.redirectCount = Int(clamping: unsigned())
        let domain = shared()
        let message = shared()
        if let code = signed(), let domain, let message {
            task.failure = .init(domain: domain, code: Int(clamping: code), message: message)
        }
        task.clockResolution = number() ?? 0
        task.schedulingDelay = number()
        task.isExamined = unsigned() == 1
        for _ in 0..<unsigned() {
            let source = unsigned()
            let kind = shared().flatMap(TaskRecord.Edge.Kind.init)
            let grade = shared().flatMap(TaskRecord.Edge.Grade.init)
            let sourcePlace = shared() ?? ""
            let targetPlace = shared() ?? ""
            guard let kind, let grade else { continue }
            task.edges.append(
                .init(
                    source: source, kind: kind, grade: grade, sourcePlace: sourcePlace, targetPlace: targetPlace))
        }
        guard kind > 1 else { return HARNative(task: task, index: index, count: count, transaction: nil) }
        var transaction = Transaction(request: entry.request)
        transaction.resourceFetchType = shared().flatMap(Transaction.ResourceFetchType.init) ?? .unknown
        if unsigned() == 1 {
            transaction.response = .init(
                statusCode: entry.status ?? 0, headerFields: entry.responseHeaderFields)
        }
        for field in TransactionFields.dates where unsigned() == 1 {
            transaction[keyPath: field.path] = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits()))
        }
        for field in TransactionFields.counts { transaction[keyPath: field.path] = signed() }
        for field in TransactionFields.flags { transaction[keyPath: field.path] = signed().map { $0 != 0 } }
        for field in TransactionFields.texts { transaction[keyPath: field.path] = shared() }
        for field in TransactionFields.ports { transaction[keyPath: field.path] = signed().map { Int(clamping: $0) } }
        for field in TransactionFields.codes {
            transaction[keyPath: field.path] = signed().map { UInt16(truncatingIfNeeded: $0) }
        }
        for field in TransactionFields.digests {
            transaction[keyPath: field.path] = signed().map { BodyDigest(rawValue: UInt64(bitPattern: $0)) }
        }
        return HARNative(task: task, index: index, count: count, transaction: transaction)
    }
}
