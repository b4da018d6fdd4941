import Foundation
import Testing
import WeirModel
import WeirTestSupport

@Suite(.ownRegistry) struct SettlingTests {
    private typealias Step = Settling.Watch.Step

    @Test func withoutAQuietTimeTheLastEndIsEnough() {
        var watch = Settling.Watch(.within(.seconds(5)))
        #expect(watch.look(open: 2, hasMoved: true, at: .zero) == .wait(until: .seconds(5)))
        #expect(watch.look(open: 1, hasMoved: true, at: .seconds(1)) == .wait(until: .seconds(5)))
        #expect(watch.look(open: 0, hasMoved: true, at: .seconds(2)) == .settled)
    }

    @Test func theQuietTimeBeginsAnewWithEachRequest() {
        var watch = Settling.Watch(.quiet(.milliseconds(200), within: .seconds(5)))
        #expect(watch.look(open: 0, hasMoved: false, at: .zero) == .wait(until: .milliseconds(200)))
        #expect(watch.look(open: 1, hasMoved: true, at: .milliseconds(150)) == .wait(until: .seconds(5)))
        #expect(watch.look(open: 0, hasMoved: true, at: .milliseconds(180)) == .wait(until: .milliseconds(380)))
        // One that began and ended since the last look.
        #expect(watch.look(open: 0, hasMoved: true, at: .milliseconds(300)) == .wait(until: .milliseconds(500)))
        #expect(watch.look(open: 0, hasMoved: false, at: .milliseconds(499)) == .wait(until: .milliseconds(500)))
        #expect(watch.look(open: 0, hasMoved: false, at: .milliseconds(500)) == .settled)
    }

    @Test func theLimitEndsIt() {
        var watch = Settling.Watch(.quiet(.milliseconds(200), within: .seconds(1)))
        #expect(watch.look(open: 0, hasMoved: true, at: .milliseconds(900)) == .wait(until: .seconds(1)))
        #expect(watch.look(open: 0, hasMoved: true, at: .milliseconds(1_000)) == .gaveUp)
        #expect(watch.look(open: 3, hasMoved: true, at: .seconds(2)) == .gaveUp)
    }

    private func begin(_ url: RequestURL, isStream: Bool = false) -> TaskDelivery {
        let start = TaskRecord.Start(
            id: TaskRecord.nextID(), method: "GET", url: url, start: ProcessClock.now, isStream: isStream)
        return TaskDelivery(start, sessionUnit: nil, observers: [])
    }

    private func end(_ delivery: TaskDelivery) {
        delivery.finish(
            TaskRecord(
                id: delivery.start.id, unit: delivery.unit, attribution: delivery.attribution,
                start: delivery.start.start, end: ProcessClock.now,
                transactions: [Transaction(request: .init(url: delivery.start.url))]))
    }

    @Test func streamsAndKnownPollsAreNotWaitedFor() async {
        let unit = UnitOfWork("screen")
        await unit.run {
            let feed = begin("http://h/events", isStream: true)
            let poll = begin("http://h/jobs/17/poll")
            let book = begin("http://h/books/1")
            end(book)
            #expect(await unit.settled(.init(ignoring: ["jobs/:id/poll"])).isEmpty)
            #expect(unit.openTasks.map(\.id) == [feed.start.id, poll.start.id])
            // Without the rule the poll is waited for, and named.
            #expect(await unit.settled(.within(.milliseconds(20))).map(\.id) == [poll.start.id])
            end(poll)
            end(feed)
        }
    }

    @Test func whatComesInTheQuietTimeIsWaitedFor() async {
        let unit = UnitOfWork("screen")
        await unit.run {
            let first = begin("http://h/1")
            async let rest = unit.settled(.quiet(.milliseconds(300), within: .seconds(60)))
            let second = begin("http://h/2")
            end(first)
            end(second)
            #expect(await rest.isEmpty)
        }
        #expect(unit.records.count == 2)
    }

    @Test func theEndOfTheLastOneEndsTheWaiting() async {
        let unit = UnitOfWork("screen")
        await unit.run {
            let tasks = (0..<50).map { begin(RequestURL("http://h/\($0)")) }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { #expect(await unit.settled(.within(.seconds(600))).isEmpty) }
                for task in tasks { group.addTask { end(task) } }
            }
        }
    }

    @Test func cancellationEndsTheWaiting() async {
        let unit = UnitOfWork("screen")
        let open = await unit.run { begin("http://h/1") }
        let waiting = Task { await unit.settled(.within(.seconds(600))) }
        waiting.cancel()
        #expect(await waiting.value.map(\.id) == [open.start.id])
        end(open)
    }

    @Test func marksAreSetOnceAndInOrder() {
        let unit = UnitOfWork("screen")
        unit.mark("first frame")
        unit.mark("all")
        unit.mark("first frame")
        #expect(unit.marks.map(\.name) == ["first frame", "all"])
        #expect(unit.marks[0].date <= unit.marks[1].date)
        unit.close()
        unit.mark("late")
        #expect(unit.marks.count == 2)
    }
}
