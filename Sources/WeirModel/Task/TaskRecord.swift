public import Foundation

/// What one HTTP task did, from creation to completion.
///
/// A task is one call that the app made. It holds one ``Transaction`` for each request-response exchange or cache
/// lookup: a redirect adds one, a cache lookup adds one. The outcome is the last transaction; their number is not
/// the number of redirects plus one.
public struct TaskRecord: Sendable, Hashable, Identifiable {
    /// Identifies the task among the tasks of its source: unique in the process, or within the file it was read from.
    public var id: UInt64

    /// The unit of work that the task belongs to, or nil when it could not be attributed to one.
    public var unit: UnitOfWork.Reference?

    /// How the unit of work was found.
    public var attribution: Attribution

    /// When the app created the task.
    public var start: Date

    /// When the task completed, failed or was cancelled; never before ``start``.
    public var end: Date

    /// How many redirects were followed.
    public var redirectCount: Int

    /// The exchanges and cache lookups, in the order in which they started.
    public var transactions: [Transaction]

    /// Why the task failed, or nil when it delivered a complete response (of any status).
    public var failure: Failure?

    /// The tasks that this one is known, or thought, to have needed something from; of any grade.
    public var edges: [Edge]

    /// Whether its request and its response were looked through for values that flow from task to task.
    ///
    /// Without that, the absence of an edge means nothing.
    public var isExamined: Bool

    /// The smallest difference between two of the record's times that means anything, in seconds: 0.001 for HAR.
    public var clockResolution: TimeInterval

    /// The worst lateness of the session's own thread while the task ran, in seconds, or nil where unknown.
    ///
    /// It tells a slow test machine from a slow network.
    public var schedulingDelay: TimeInterval?

    /// Makes a record.
    public init(
        id: UInt64,
        unit: UnitOfWork.Reference? = nil,
        attribution: Attribution = .none,
        start: Date,
        end: Date,
        redirectCount: Int = 0,
        transactions: [Transaction],
        failure: Failure? = nil,
        edges: [Edge] = [],
        isExamined: Bool = false,
        clockResolution: TimeInterval = 0,
        schedulingDelay: TimeInterval? = nil
    ) {
        self.id = id
        self.unit = unit
        self.attribution = attribution
        self.start = start
        self.end = max(start, end)
        self.redirectCount = redirectCount
        self.transactions = transactions
        self.failure = failure
        self.edges = edges
        self.isExamined = isExamined
        self.clockResolution = clockResolution
        self.schedulingDelay = schedulingDelay
    }

    /// The time from creation to completion, in seconds.
    @inlinable public var duration: TimeInterval {
        end.timeIntervalSinceReferenceDate - start.timeIntervalSinceReferenceDate
    }

    /// The last transaction: what the caller got.
    @inlinable public var outcome: Transaction? { transactions.last }

    /// The first transaction that used the network.
    public var firstNetworkTransaction: Transaction? {
        transactions.first { $0.resourceFetchType.usesNetwork }
    }

    /// Whether the whole task was answered from a local cache, without the network.
    public var isCacheHit: Bool {
        !transactions.isEmpty && transactions.allSatisfy { $0.resourceFetchType == .localCache }
    }

    /// Whether the task got its response with the transfer of an identical one.
    public var isCoalesced: Bool { transactions.contains { $0.resourceFetchType == .coalesced } }

    /// Whether the task itself may have used the network: it was neither a cache hit nor coalesced.
    public var usesNetwork: Bool {
        transactions.isEmpty || transactions.contains { $0.resourceFetchType.usesNetwork }
    }

    /// The place of the transaction whose body the caller got: the last one or, when that is a server's 304 to a question about
    /// a stored response, the look into the cache before it.
    public var deliveredIndex: Int? {
        transactions.withUnsafeBufferPointer { transactions in
            guard let last = transactions.indices.last else { return nil }
            guard last > 0, transactions[last].response?.statusCode == 304,
                transactions[last - 1].resourceFetchType == .localCache
            else { return last }
            return last - 1
        }
    }
}

extension TaskRecord {
    /// How a task's unit of work was found, in the order in which the rules are tried.
    public enum Attribution: String, Sendable, Hashable, Codable {
        /// The unit was current (task-local) where the task was created.
        case taskLocal
        /// The unit was current where the task's session was created.
        case session
        /// It was the only unit open.
        case onlyOpenUnit
        /// The file that the record was read from names the unit (a HAR page, say).
        case file
        /// No unit was open, or several were and nothing told which.
        case none
    }

    /// Why a task failed.
    public struct Failure: Sendable, Hashable, Codable {
        /// The error's domain, such as `NSURLErrorDomain`.
        public var domain: String
        /// The error's code in its domain, such as -1001.
        public var code: Int
        /// A sentence for a person.
        public var message: String

        /// Makes a failure.
        public init(domain: String, code: Int, message: String) {
            self.domain = domain
            self.code = code
            self.message = message
        }
    }

    /// A task that has begun and is not yet done.
    public struct Start: Sendable, Hashable {
        /// The id that the finished record will carry.
        public var id: UInt64
        /// The request method.
        public var method: String
        /// The requested URL.
        public var url: RequestURL
        /// When the app created the task.
        public var start: Date
        /// Whether the task asks for a stream that is meant to stay open, such as server-sent events.
        public var isStream: Bool

        /// Makes a start.
        public init(id: UInt64, method: String, url: RequestURL, start: Date, isStream: Bool = false) {
            self.id = id
            self.method = method
            self.url = url
            self.start = start
            self.isStream = isStream
        }
    }
}
