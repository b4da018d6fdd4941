import Foundation
import Synchronization

/// Opening a screen, running a job: the tasks from the first start to the last end.
///
/// A unit is open from its creation to ``close()``. A task belongs to the unit that is current (task-local) where the
/// task is created; else to the unit in which its session was created; else to the only open unit; else it is
/// unattributed, which every open unit hears of. Nested units count a task in both.
public final class UnitOfWork: Sendable, Identifiable {
    /// Identifies a unit of work in its source.
    public struct ID: Sendable, Hashable, RawRepresentable, Codable {
        /// The identifier's text.
        public var rawValue: String

        /// Makes an identifier from text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// A unit as a record names it.
    public struct Reference: Sendable, Hashable, Codable {
        /// The unit's identifier.
        public var id: ID
        /// The unit's name, for people.
        public var name: String

        /// Makes a reference.
        public init(id: ID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The unit of work of the running Swift task, or nil.
    @TaskLocal public static var current: UnitOfWork?

    /// The identifier, unique in the process.
    public let id: ID
    /// The name, for people.
    public let name: String
    /// The unit around this one, or nil.
    public let parent: UnitOfWork?

    /// The test in which the unit was opened, where tests are known (see ``context``).
    package let openedIn: String?
    private let registry: Registry
    /// For the outermost unit and all those inside it.
    package let evidence: EvidenceSlot
    private let ledger = TaskLedger()
    private let strays = TaskLedger()
    private let lateTask: (@Sendable (TaskRecord.Start) -> Void)?
    let marked = Lock<[Mark]>([])

    /// Opens a unit of work inside the current one.
    ///
    /// - Parameters:
    ///   - name: Its name, for people.
    ///   - lateTask: Called for each task that is created inside the unit after it was closed.
    public init(_ name: String, lateTask: (@Sendable (TaskRecord.Start) -> Void)? = nil) {
        self.name = name
        self.lateTask = lateTask
        parent = Self.current
        openedIn = Self.context
        registry = Registry.current
        evidence = Self.current?.evidence ?? EvidenceSlot()
        id = registry.nextID()
        registry.open(self)
    }

    deinit { registry.close(id) }

    private static let contextName = Lock<ContextName?>(nil)

    /// A closure in a generic place is wrapped anew each time it is taken out and put back; a value that holds one is not.
    private struct ContextName: Sendable {
        let find: @Sendable () -> String?
    }

    /// What names the test that is running here, beyond units of work; set once by the testing support.
    package static func findContext(with name: @escaping @Sendable () -> String?) {
        contextName.withLock { $0 = ContextName(find: name) }
    }

    /// The name of the test that is running here, or nil where that cannot be told.
    package static var context: String? { contextName.withLock { $0 }?.find() }

    /// Whether something that runs in a test may belong to this unit: not if another test is known to run it.
    package func mayOwn(workIn context: String?) -> Bool {
        guard let context, let openedIn else { return true }
        return context == openedIn
    }

    /// How the unit is named in records.
    public var reference: Reference { Reference(id: id, name: name) }

    /// Whether the unit still takes tasks.
    public var isOpen: Bool { registry.isOpen(id) }

    /// Ends the unit: tasks that are created from now on do not belong to it.
    ///
    /// Closing twice does no harm.
    public func close() {
        registry.close(id)
        if parent == nil { evidence.clear() }
    }

    /// Runs a piece of work inside the unit.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$current.withValue(self, operation: work, isolation: isolation)
    }

    /// The records of the unit's finished tasks, nested units' included, in the order in which they finished.
    public var records: [TaskRecord] { ledger.records }

    /// The unit's tasks that are not done yet, oldest first.
    public var openTasks: [TaskRecord.Start] { ledger.open }

    /// Records of tasks that ran while the unit was open and that nothing ties to this unit or to another.
    public var unattributed: [TaskRecord] { strays.records }

    /// Waits until none of the unit's tasks is open, or the limit has passed.
    ///
    /// - Returns: Whether all tasks were done.
    @discardableResult
    public func settled(within limit: Duration? = nil) async -> Bool {
        let clock = ContinuousClock()
        let deadline = limit.map { clock.now + $0 }
        let own = await ledger.settled(within: limit)
        let others = await strays.settled(within: deadline.map { max(.zero, clock.now.duration(to: $0)) })
        return own && others
    }

    /// Waits until the unit has come to rest: see ``Settling``.
    ///
    /// - Returns: The tasks that count and were still open at the end, oldest first; empty when all were done.
    @discardableResult
    public func settled(_ rule: Settling) async -> [TaskRecord.Start] {
        let start = ContinuousClock.now
        var watch = Settling.Watch(rule)
        var seen = 0
        var open: Set<UInt64> = []
        while true {
            let look = ledger.look(after: seen)
            let counting = look.open.filter(rule.counts)
            let ids = Set(counting.map(\.id))
            let hasMoved = ids != open || look.finished.contains(where: rule.counts)
            seen = look.finished.endIndex
            open = ids
            let now = start.duration(to: .now)
            switch watch.look(open: ids.count, hasMoved: hasMoved, at: now) {
            case .settled, .gaveUp:
                _ = await strays.settled(within: max(.zero, rule.limit - start.duration(to: .now)))
                return counting.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
            case .wait(let moment):
                guard !Task.isCancelled else { return counting }
                await ledger.changed(since: look.version, within: moment - now)
            }
        }
    }

    /// This unit and those around it, innermost first.
    package var lineage: [UnitOfWork] {
        var result = [self]
        while let parent = result[result.count - 1].parent { result.append(parent) }
        return result
    }

    package var ownLedger: TaskLedger { ledger }
    package var strayLedger: TaskLedger { strays }

    /// A task was created inside the unit after it was closed.
    ///
    /// - Returns: Whether anyone wants to know.
    @discardableResult
    package func taskCameLate(_ start: TaskRecord.Start) -> Bool {
        lateTask?(start)
        return lateTask != nil
    }
}

extension UnitOfWork {
    /// The unit in which something was made that may outlive it, such as a session.
    package struct Origin: Sendable {
        /// The unit and those around it, innermost first.
        let lineage: [ID]
        private let lateTask: (@Sendable (TaskRecord.Start) -> Void)?

        package init(_ unit: UnitOfWork) {
            lineage = unit.lineage.map(\.id)
            lateTask = unit.lateTask
        }

        /// The unit that is current, or nil when there is none.
        package static var current: Origin? { UnitOfWork.current.map(Origin.init) }

        /// A task was created after the unit was closed.
        ///
        /// - Returns: Whether anyone wants to know.
        @discardableResult
        func taskCameLate(_ start: TaskRecord.Start) -> Bool {
            lateTask?(start)
            return lateTask != nil
        }
    }

    /// The open units of the process.
    ///
    /// A test that must not see the units and strays of tests beside it runs in a registry of its own:
    /// `UnitOfWork.Registry.$current.withValue(.init()) { ... }`.
    package final class Registry: Sendable {
        @TaskLocal package static var current = Registry()

        package init() {}

        private struct State {
            var open: [ID: Entry] = [:]
            var count: UInt64 = 0
        }

        /// Weak, so that a unit that nobody holds any more is closed rather than kept.
        private struct Entry: Sendable {
            weak let unit: UnitOfWork?
        }

        private static let runs = UInt64.random(in: 0..<36 * 36 * 36 * 36)
        private let state = Lock(State())

        /// What stands in files for a unit where there is none: this run of the program.
        ///
        /// Ids and pseudonyms mean the same in the records of one run only.
        package static let run = Reference(
            id: ID(rawValue: "\(String(runs, radix: 36)).0"),
            name: "\(ProcessInfo.processInfo.processName) (\(ProcessInfo.processInfo.processIdentifier))")

        /// Unique in the process, and most likely among processes that write to one file.
        package func nextID() -> ID {
            let count = state.withLock { state in
                state.count += 1
                return state.count
            }
            return ID(rawValue: "\(String(Self.runs, radix: 36)).\(count)")
        }

        package func open(_ unit: UnitOfWork) { state.withLock { $0.open[unit.id] = Entry(unit: unit) } }
        package func close(_ id: ID) { state.withLock { $0.open[id] = nil } }
        package func isOpen(_ id: ID) -> Bool { state.withLock { $0.open[id] != nil } }
        package func unit(_ id: ID) -> UnitOfWork? { state.withLock { $0.open[id]?.unit } }

        /// All open units, in no order.
        ///
        /// Releasing the last reference of one must not happen under the lock.
        package var units: [UnitOfWork] { state.withLock { $0.open.values.compactMap(\.unit) } }
    }
}
