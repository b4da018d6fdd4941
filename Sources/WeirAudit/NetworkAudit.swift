import Foundation
import Synchronization
public import WeirModel

/// Collects what the network did and says what it amounts to.
///
/// Give it to a session as an observer and print its ``report``, or let it ``measure(_:isolation:_:)`` one unit of
/// work on its own:
///
/// ```swift
/// let audit = NetworkAudit()
/// let session = HTTPSession(configuration: .init(), observers: [audit])
/// let (screen, report) = try await audit.measure("My loans") { try await loadLoans(session) }
/// print(report)
/// ```
public final class NetworkAudit: TaskObserver, EvidenceObserver {
    private let ledger = TaskLedger()
    private let last = Lock<Report?>(nil)
    private let marks = Lock<[UnitOfWork.Mark]>([])
    let declarations = Lock<[Declaration]>([])
    package let evidence = EvidenceSlot()

    /// Makes an audit that has seen nothing.
    public init() {}

    /// Notes that a task of an observed session began.
    public func taskDidStart(_ start: TaskRecord.Start) { ledger.taskDidStart(start) }

    /// Takes the record of a finished task of an observed session.
    public func taskDidFinish(_ record: TaskRecord) { ledger.taskDidFinish(record) }

    /// The records of all tasks of the observed sessions, in the order in which they finished.
    public var records: [TaskRecord] { ledger.records }

    /// The report on all that was observed since the start or the last ``reset()``.
    ///
    /// Complexity: O(n log n) in the number of records, each time it is asked for.
    public var report: Report {
        Report(records: declared(ledger.records), openTasks: ledger.open, marks: marks.withLock { $0 })
    }

    /// The report of the last unit of work that ``measure(_:isolation:_:)`` ran, also when its work threw.
    public var lastReport: Report? { last.withLock { $0 } }

    /// Forgets the records; tasks still open will be recorded.
    public func reset() {
        ledger.reset()
        marks.withLock { $0 = [] }
        evidence.clear()
        last.withLock { $0 = nil }
    }

    /// Gives this moment a name: the reports tell apart what started before it and what after it.
    ///
    /// It marks the unit of work that is current where it is called, as inside ``measure(_:isolation:_:)``, and the audit's
    /// own ``report``. A mark that is set again does not count: a screen has one first frame.
    ///
    /// ```swift
    /// let (_, report) = try await audit.measure("My loans") {
    ///     try await showSixRows()
    ///     audit.mark("first frame")
    ///     try await scroll()
    /// }
    /// report.part("first frame")    // the report on what started before the first frame
    /// ```
    public func mark(_ name: String) {
        UnitOfWork.current?.mark(name)
        let mark = UnitOfWork.Mark.now(name)
        marks.withLock { marks in
            if !marks.contains(where: { $0.name == name }) { marks.append(mark) }
        }
    }

    /// Waits until no task of the observed sessions is open: cancelled and abandoned ones report a moment later.
    ///
    /// - Parameter limit: How long to wait at most; nil waits for as long as it takes.
    /// - Returns: Whether nothing was open at the end.
    @discardableResult
    public func settled(within limit: Duration? = nil) async -> Bool { await ledger.settled(within: limit) }

    /// Runs a piece of work as one unit of work and reports on its tasks alone.
    ///
    /// Tasks of any session count, as far as they belong to the unit (see ``UnitOfWork``): those created inside the
    /// work, and those of sessions made inside it. Units may be nested and run at the same time.
    ///
    /// - Parameters:
    ///   - name: The unit's name, for people.
    ///   - isolation: The actor on which the work runs: the caller's.
    ///   - work: The work.
    /// - Returns: What the work returned, and the report.
    /// - Throws: ``WorkFailure``, with the error and the report, when the work throws.
    public func measure<Success>(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Success
    ) async throws(WorkFailure) -> (Success, Report) {
        let unit = UnitOfWork(name)
        let result: Result<Success, any Error>
        do {
            result = .success(try await unit.run(work))
        } catch {
            result = .failure(error)
        }
        unit.close()
        let report = Report(
            name: unit.name, records: declared(unit.records), openTasks: unit.openTasks,
            unattributed: unit.unattributed, marks: unit.marks)
        last.withLock { $0 = report }
        switch result {
        case .success(let value): return (value, report)
        case .failure(let error): throw WorkFailure(underlyingError: error, report: report)
        }
    }
}

extension NetworkAudit {
    /// The measured work threw: its error, and the report up to there.
    public struct WorkFailure: Error, CustomStringConvertible {
        /// What the work threw.
        public let underlyingError: any Error
        /// The report on what ran before.
        public let report: Report

        /// The error and the report's line.
        public var description: String { "\(underlyingError) (\(report))" }
    }
}
