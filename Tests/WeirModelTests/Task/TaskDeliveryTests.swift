import Foundation
import Synchronization
import Testing
import WeirModel
import WeirTestSupport

@Suite(.ownRegistry) struct TaskDeliveryTests {
    private final class Collector: TaskObserver {
        let started = Lock<[UInt64]>([])
        let finished = Lock<[TaskRecord]>([])
        func taskDidStart(_ start: TaskRecord.Start) { started.withLock { $0.append(start.id) } }
        func taskDidFinish(_ record: TaskRecord) { finished.withLock { $0.append(record) } }
    }

    @discardableResult
    private func runTask(sessionUnit: UnitOfWork.Origin? = nil, observers: [any TaskObserver] = []) -> TaskDelivery {
        let start = makeStart()
        let delivery = TaskDelivery(start, sessionUnit: sessionUnit, observers: observers)
        delivery.finish(makeRecord(id: start.id, delivery: delivery))
        return delivery
    }

    @Test func theTaskLocalUnitComesFirst() async {
        let session = UnitOfWork("session")
        let local = UnitOfWork("local")
        let delivery = await local.run { runTask(sessionUnit: .init(session)) }
        #expect(delivery.attribution == .taskLocal)
        #expect(delivery.unit == local.reference)
        #expect(local.records.count == 1)
        #expect(session.records.isEmpty && session.unattributed.isEmpty)
    }

    /// An audit that is given to the session and to the task, too, counts a request once.
    @Test func anObserverThatIsGivenTwiceIsToldOnce() {
        struct Value: TaskObserver {
            let count: Collector
            func taskDidFinish(_ record: TaskRecord) { count.taskDidFinish(record) }
        }
        let (one, other, counted) = (Collector(), Collector(), Collector())
        runTask(observers: [one, other, one, Value(count: counted), one, Value(count: counted)])
        for collector in [one, other] {
            #expect(collector.started.withLock { $0.count } == 1 && collector.finished.withLock { $0.count } == 1)
        }
        #expect(counted.finished.withLock { $0.count } == 2)
    }

    @Test func thenTheUnitOfTheSession() {
        let session = UnitOfWork("session")
        let other = UnitOfWork("other")
        let delivery = runTask(sessionUnit: .init(session))
        #expect(delivery.attribution == .session)
        #expect(session.records.count == 1)
        #expect(other.records.isEmpty && other.unattributed.isEmpty)
    }

    @Test func thenTheOnlyOpenUnit() {
        let only = UnitOfWork("only")
        let delivery = runTask()
        #expect(delivery.attribution == .onlyOpenUnit)
        #expect(only.records.count == 1)
        #expect(only.unattributed.isEmpty)
    }

    @Test func withSeveralOpenUnitsEachHearsOfTheStray() {
        let a = UnitOfWork("a")
        let b = UnitOfWork("b")
        let delivery = runTask()
        #expect(delivery.attribution == .none)
        #expect(delivery.unit == nil)
        #expect(a.records.isEmpty && b.records.isEmpty)
        #expect(a.unattributed.count == 1 && b.unattributed.count == 1)
    }

    @Test func aStrayInsideNestedUnitsBelongsToTheOuterAndIsReportedToTheInner() async {
        let outer = UnitOfWork("outer")
        let inner = await outer.run { UnitOfWork("inner") }
        #expect(inner.parent === outer)
        let delivery = runTask()
        #expect(delivery.attribution == .onlyOpenUnit)
        #expect(delivery.unit == outer.reference)
        #expect(outer.records.count == 1)
        #expect(inner.records.isEmpty)
        #expect(inner.unattributed.count == 1)
    }

    @Test func nestedUnitsCountATaskInBoth() async {
        let outer = UnitOfWork("outer")
        let inner = await outer.run { UnitOfWork("inner") }
        await inner.run { _ = runTask() }
        await outer.run { _ = runTask() }
        #expect(inner.records.count == 1)
        #expect(outer.records.count == 2)
    }

    @Test func aClosedUnitTakesNothingAndSaysSo() async {
        let late = Lock(0)
        let unit = UnitOfWork("closed") { _ in late.withLock { $0 += 1 } }
        unit.close()
        let next = UnitOfWork("next")
        let delivery = await unit.run { runTask(sessionUnit: .init(unit)) }
        #expect(delivery.attribution == .taskLocal)
        #expect(delivery.unit == nil)
        #expect(unit.records.isEmpty)
        #expect(late.withLock { $0 } == 1)
        #expect(!unit.isOpen)
        #expect(next.records.isEmpty && next.unattributed.isEmpty)
    }

    /// A detached task over a session that a test made, when that test is over and another runs.
    @Test func theSessionOfAClosedTestChargesNoOther() {
        let late = Lock(0)
        let unit = UnitOfWork("over") { _ in late.withLock { $0 += 1 } }
        let session = UnitOfWork.Origin(unit)
        unit.close()
        let next = UnitOfWork("next")
        let delivery = runTask(sessionUnit: session)
        #expect(delivery.attribution == .session && delivery.unit == nil)
        #expect(late.withLock { $0 } == 1)
        #expect(next.records.isEmpty && next.unattributed.isEmpty)
    }

    /// A session that a measurement made lives on: what it does then belongs to what is around the measurement.
    @Test func theSessionOfAClosedMeasurementGoesOn() async {
        let outer = UnitOfWork("outer")
        let inner = await outer.run { UnitOfWork("inner") }
        let session = UnitOfWork.Origin(inner)
        inner.close()
        let other = UnitOfWork("other")
        let delivery = runTask(sessionUnit: session)
        #expect(delivery.attribution == .session && delivery.unit == outer.reference)
        #expect(other.records.isEmpty)
        outer.close()
        #expect(runTask(sessionUnit: session).unit == other.reference, "the only one that is open")
    }

    @Test func aUnitThatNobodyHoldsIsClosed() {
        let id = UnitOfWork("gone").id
        #expect(!UnitOfWork.Registry.current.isOpen(id))
    }

    @Test func observersHearOfEachTaskOnce() {
        let collector = Collector()
        let start = makeStart()
        let delivery = TaskDelivery(start, sessionUnit: nil, observers: [collector])
        let record = makeRecord(id: start.id)
        delivery.finish(record)
        delivery.finish(record)
        #expect(collector.started.withLock { $0 } == [start.id])
        #expect(collector.finished.withLock { $0 } == [record])
    }

    @Test func settlingWaitsForWhatIsOpen() async {
        let unit = UnitOfWork("settling")
        #expect(await unit.settled(within: .zero))
        let start = makeStart()
        let delivery = TaskDelivery(start, sessionUnit: .init(unit), observers: [])
        #expect(unit.openTasks == [start])
        #expect(await unit.settled(within: .milliseconds(1)) == false)
        async let settled = unit.settled()
        delivery.finish(makeRecord(id: start.id))
        #expect(await settled)
        #expect(unit.openTasks.isEmpty)
    }

    @Test func settlingEndsWhenItsCallerIsCancelled() async {
        let unit = UnitOfWork("cancelled")
        let delivery = TaskDelivery(makeStart(), sessionUnit: .init(unit), observers: [])
        let waiting = Task { await unit.settled() }
        waiting.cancel()
        #expect(await waiting.value == false)
        #expect(unit.openTasks.count == 1)
        delivery.finish(makeRecord(id: delivery.start.id))
    }
}
