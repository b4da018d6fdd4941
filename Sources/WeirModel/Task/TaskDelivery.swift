import Foundation
import Synchronization

/// Who is told of one task: decided when the task is created, used once when it is done.
///
/// Every source (libcurl, URLSession) makes one for each task and calls ``finish(_:)`` exactly once, before the
/// task's caller resumes. A second call is ignored, so that racing completions still deliver one record.
package final class TaskDelivery: Sendable {
    /// What the record of the task will carry.
    package let unit: UnitOfWork.Reference?
    package let attribution: TaskRecord.Attribution
    package let start: TaskRecord.Start
    /// Where to keep what its bodies say of dependencies; nil when nobody asks for them.
    package let evidence: EvidenceSlot?

    private let ledgers: [TaskLedger]
    private let observers: [any TaskObserver]
    private let isDone = Atomic(false)

    /// Attributes a task to its unit of work and announces its start.
    ///
    /// - Parameters:
    ///   - start: The task.
    ///   - sessionUnit: The unit in which the task's session was created.
    ///   - observers: The session's observers and the task's own.
    package init(_ start: TaskRecord.Start, sessionUnit: UnitOfWork.Origin?, observers: [any TaskObserver]) {
        self.start = start
        let observers = Self.distinct(observers)
        self.observers = observers
        let found = Self.attribute(start, sessionUnit: sessionUnit)
        unit = found.unit?.reference
        attribution = found.attribution
        evidence = found.unit?.evidence ?? observers.lazy.compactMap { ($0 as? any EvidenceObserver)?.evidence }.first
        var ledgers: [TaskLedger] = []
        let lineage = found.unit?.lineage ?? []
        for unit in lineage where unit.isOpen { ledgers.append(unit.ownLedger) }
        // Nothing ties the task to these open units, nor away from them: they must hear of it.
        switch found.attribution {
        case .none, .onlyOpenUnit:
            for unit in found.open where !lineage.contains(where: { $0 === unit }) { ledgers.append(unit.strayLedger) }
        case .taskLocal, .session, .file: break
        }
        self.ledgers = ledgers
        for ledger in ledgers { ledger.taskDidStart(start) }
        for observer in observers { observer.taskDidStart(start) }
    }

    /// Whether anyone will be told: a record that nobody sees need not be made.
    package var isObserved: Bool { !ledgers.isEmpty || !observers.isEmpty }

    /// Tells everyone.
    ///
    /// Only the first call counts.
    package func finish(_ record: TaskRecord) {
        guard isDone.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
            return
        }
        for ledger in ledgers { ledger.taskDidFinish(record) }
        for observer in observers { observer.taskDidFinish(record) }
    }

    /// Each observer once: one that was given to the session and to the task, or twice, is told once.
    ///
    /// Values have no identity, so that each of them is another observer.
    private static func distinct(_ observers: [any TaskObserver]) -> [any TaskObserver] {
        guard observers.count > 1 else { return observers }
        var seen: Set<ObjectIdentifier> = []
        return observers.filter { observer in
            type(of: observer) is AnyClass ? seen.insert(ObjectIdentifier(observer as AnyObject)).inserted : true
        }
    }

    private static func attribute(
        _ start: TaskRecord.Start, sessionUnit: UnitOfWork.Origin?
    ) -> (unit: UnitOfWork?, attribution: TaskRecord.Attribution, open: [UnitOfWork]) {
        if let current = UnitOfWork.current {
            if let open = current.lineage.first(where: \.isOpen) {
                if open !== current { current.taskCameLate(start) }
                return (open, .taskLocal, [])
            }
            // What is done in a test when the test is over is that test's, and of no other that is running by now.
            if current.taskCameLate(start) { return (nil, .taskLocal, []) }
        }
        if let sessionUnit {
            let registry = UnitOfWork.Registry.current
            if let unit = sessionUnit.lineage.lazy.compactMap(registry.unit).first {
                if unit.id != sessionUnit.lineage.first { sessionUnit.taskCameLate(start) }
                return (unit, .session, [])
            }
            // And so is what its session does.
            if sessionUnit.taskCameLate(start) { return (nil, .session, []) }
        }
        let context = UnitOfWork.context
        let open = UnitOfWork.Registry.current.units.filter { $0.mayOwn(workIn: context) }
        // "The only open unit": the one around all others that are open. The inner ones cannot know whether it is theirs.
        if let outermost = open.first(where: { candidate in
            open.allSatisfy { $0.lineage.contains { $0 === candidate } }
        }) {
            return (outermost, .onlyOpenUnit, open)
        }
        return (nil, .none, open)
    }
}

extension TaskRecord {
    private static let lastID = Atomic<UInt64>(0)

    /// The next task id of this process, from 1.
    package static func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }
}
