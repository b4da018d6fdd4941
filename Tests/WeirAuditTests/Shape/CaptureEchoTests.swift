import Testing
import WeirAudit
import WeirModel

/// One request that two layers recorded is one request; two requests are two.
@Suite struct CaptureEchoTests {
    private func report(_ records: [TaskRecord]) -> NetworkAudit.Report { NetworkAudit.Report(records: records) }

    /// What a task sees whose request an interceptor took over: an answer, and no network.
    private func intercepted(_ start: Double, _ end: Double, _ url: RequestURL = "http://h/x", status: Int = 200)
        -> TaskRecord
    {
        var record = task(start, end, url, status: status, from: .unknown)
        record.transactions[0].requestStartDate = nil
        record.transactions[0].connectionID = nil
        return record
    }

    private func on(_ connection: String, _ start: Double, _ end: Double, version: String = "http/1.1") -> TaskRecord {
        var record = task(start, end)
        record.transactions[0].connectionID = connection
        record.transactions[0].networkProtocolName = version
        return record
    }

    @Test func anInterceptedTaskIsTheRequestThatWasMadeForIt() {
        let inner = task(1, 59)
        let found = report([intercepted(0, 60), inner, task(70, 100, "http://h/y")])
        #expect(found.requests == 2 && found.recordedTwice == 1 && found.duplicates.isEmpty)
        #expect(found.records.first?.id == inner.id)
        #expect(found.findings.filter { $0.rule == .duplicate }.isEmpty)
    }

    @Test func anHTTP1ConnectionCarriesOneExchangeAtATime() {
        let found = report([on("7", 0, 60), on("7", 1, 60)])
        #expect(found.requests == 1 && found.recordedTwice == 1)
        // On two connections, or on one of HTTP/2, they are two.
        #expect(report([on("7", 0, 60), on("8", 1, 60)]).duplicates == ["/x"])
        #expect(report([on("7", 0, 60, version: "h2"), on("7", 1, 60, version: "h2")]).duplicates == ["/x"])
    }

    @Test func whatOnlyLooksAlikeIsKept() {
        for other in [
            task(0, 60), task(1, 60), task(20, 60), task(1, 80), task(1, 59, "http://h/z"), task(1, 59, status: 404),
            intercepted(1, 59), task(1, 59, from: .localCache),
        ] {
            let found = report([task(0, 60), other])
            #expect(found.records.count == 2 && found.recordedTwice == 0)
        }
        #expect(report([intercepted(0, 60), task(20, 59)]).recordedTwice == 0)
        #expect(report([intercepted(0, 60, "http://h/z"), task(1, 59)]).recordedTwice == 0)
        #expect(report([intercepted(0, 60), intercepted(1, 59)]).recordedTwice == 0)
    }
}
