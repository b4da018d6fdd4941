import Foundation
import Testing
import WeirAudit
import WeirModel

@Suite struct ReportTests {
    @Test func theLineReadsAsDocumented() {
        var tasks = (0..<8).map { (index: Int) -> TaskRecord in
            let start: Double = Double(index) * 70
            return task(start, start + 70, RequestURL("http://h/\(index)"), queued: 1, wire: 1_000, decoded: 1_000)
        }
        tasks.append(task(560, 632, "http://h/0", queued: 6, wire: 1_350, decoded: 1_350))
        let report = NetworkAudit.Report(records: tasks)
        #expect(
            report.description
                == "9 requests, 1 duplicate, 9 rounds, 632 ms wall, parallelism 1.00, 9350 B on the wire (9350 decoded), worst queue 6 ms"
        )
    }

    @Test func nothingAtAll() {
        let report = NetworkAudit.Report(records: [])
        #expect(
            report.description
                == "0 requests, 0 duplicates, 0 rounds, 0 ms wall, parallelism 0.00, 0 B on the wire (0 decoded), worst queue 0 ms"
        )
        #expect(report.newConnections == 0)
    }

    @Test func wallBusyAndParallelism() {
        let report = NetworkAudit.Report(records: [task(0, 60), task(0, 60), task(50, 100)])
        #expect(abs(report.wall - 100) < 1e-3)
        #expect(abs(report.busy - 170) < 1e-3)
        #expect(abs(report.parallelism - 1.7) < 1e-4)
    }

    @Test func whatIsUnknownIsNotZero() {
        let report = NetworkAudit.Report(records: [
            task(0, 1, wire: nil, decoded: nil, reused: nil), task(0, 1, "http://h/y"),
        ])
        #expect(report.wireBytes == nil && report.decodedBytes == nil && report.newConnections == nil)
        #expect(report.knownWireBytes == 100 && report.requestsWithoutWireBytes == 1)
        #expect(report.description.contains("at least 100 B on the wire (at least 100 decoded)"))
        let blind = NetworkAudit.Report(records: [task(0, 1, wire: nil, decoded: nil)])
        #expect(blind.description.contains("unknown size on the wire (decoded unknown)"))
    }

    @Test func failuresConnectionsAndImpossiblePhasesAreCounted() {
        var odd = task(10, 20, "http://h/odd", status: 404, reused: false)
        odd.transactions[0].responseStartDate = at(5)
        let lost = task(
            0, 1, "http://h/lost", status: nil, wire: nil, decoded: nil, reused: nil,
            failure: .init(domain: "d", code: 1, message: "m"))
        let report = NetworkAudit.Report(records: [odd, lost])
        #expect(report.failures == 2)
        #expect(report.newConnections == 1)
        #expect(report.impossiblePhases == 1)
        #expect(report.wireBytes == 100)
        #expect(odd.transactions[0].waiting == nil && odd.transactions[0].impossiblePhases == [.waiting])
    }

    @Test func narrowingCountsAPartOnly() {
        let report = NetworkAudit.Report(records: [
            task(0, 1, "http://a/"), task(0, 1, "http://b/"), task(2, 3, "http://a/"),
        ])
        let part = report.narrowed { $0.transactions[0].request.url.host == "a" }
        #expect(part.requests == 2)
        #expect(part.duplicates == ["/"])
    }

    @Test func anAuditRemembersAndForgets() async {
        let audit = NetworkAudit()
        audit.taskDidFinish(task(0, 1))
        #expect(audit.records.count == 1 && audit.report.requests == 1)
        audit.reset()
        #expect(audit.records.isEmpty)
        let record = task(0, 1)
        audit.taskDidStart(.init(id: record.id, method: "GET", url: "http://h/x", start: record.start))
        #expect(audit.report.openTasks.count == 1)
        #expect(audit.report.description.hasSuffix("1 still open"))
        audit.taskDidFinish(record)
        #expect(await audit.settled())
    }

    @Test func pollingCosts() {
        let always = NetworkAudit.pollingCost(every: .seconds(30), headers: 600, body: 20_000)
        #expect(always.wakeUpsPerDay == 2_880)
        #expect(always.description == "59 MB and 2880 wake-ups a day")
        let seldom = NetworkAudit.pollingCost(every: .seconds(30), headers: 600, body: 20_000, changeRate: 0.05)
        #expect(seldom.description == "4.6 MB and 2880 wake-ups a day")
        #expect(NetworkAudit.pollingCost(every: .zero, headers: 1, body: 1).wakeUpsPerDay == .infinity)
    }
}
