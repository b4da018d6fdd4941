import Foundation
import Testing
import WeirAudit
import WeirModel

@Suite struct DuplicatesTests {
    private func duplicates(_ tasks: [TaskRecord]) -> [String] { NetworkAudit.Report(records: tasks).duplicates }

    @Test func theSameResourceTwiceIsOneDuplicate() {
        let report = NetworkAudit.Report(records: [
            task(0, 1, "http://h/me"), task(2, 3, "http://h/x"), task(4, 5, "http://h/me"), task(6, 7, "http://h/me"),
        ])
        #expect(report.duplicates == ["/me"])
        #expect(report.redundantRequests == 2)
    }

    @Test func theHostIsShownWhenThereAreSeveral() {
        #expect(
            duplicates([task(0, 1, "http://a/me?x=1"), task(0, 1, "http://a/me?x=1"), task(0, 1, "http://b:81/me")])
                == ["a/me?x=1"])
    }

    @Test func hostsDifferByPortAndNotByCase() {
        #expect(duplicates([task(0, 1, "http://a:1/"), task(0, 1, "http://a:2/")]) == [])
        #expect(duplicates([task(0, 1, "http://API.a/"), task(2, 3, "http://api.A/")]) == ["/"])
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"])
    func onlySafeMethodsAndNoPreflights(method: String) {
        #expect(duplicates([task(0, 1, method: method), task(2, 3, method: method)]) == [])
    }

    @Test func whatDiffersIsNotADuplicate() {
        #expect(duplicates([task(0, 1, "http://h/x?a=1"), task(2, 3, "http://h/x?a=2")]) == [])
        #expect(duplicates([task(0, 1, method: "GET"), task(2, 3, method: "HEAD")]) == [])
        #expect(duplicates([task(0, 1, method: "QUERY", body: 1), task(2, 3, method: "QUERY", body: 2)]) == [])
        #expect(duplicates([task(0, 1, method: "QUERY", body: 1), task(2, 3, method: "QUERY", body: 1)]) == ["/x"])
        #expect(duplicates([task(0, 1, headers: [.init(name: "Range", value: "bytes=0-1")]), task(2, 3)]) == [])
        #expect(
            duplicates([
                task(0, 1, headers: [.init(name: "accept", value: "a/b")]),
                task(2, 3, headers: [.init(name: "Accept", value: "a/c")]),
            ])
                == [])
        #expect(
            duplicates([
                task(0, 1, headers: [.init(name: "accept", value: "a/b")]),
                task(2, 3, headers: [.init(name: "Accept", value: "a/b")]),
            ])
                == ["/x"])
    }

    @Test func cacheHitsAreNotDuplicates() {
        let report = NetworkAudit.Report(records: [task(0, 1), task(2, 3, from: .localCache)])
        #expect(report.duplicates == [])
        #expect(report.cacheHits == 1)
        #expect(report.requests == 1)
        #expect(report.rounds == 1)
    }

    @Test func aRetryAfterAFailureIsNotADuplicate() {
        #expect(duplicates([task(0, 1, status: 503), task(2, 3)]) == [])
        let lost = TaskRecord.Failure(domain: NSURLErrorDomain, code: -1005, message: "lost")
        #expect(duplicates([task(0, 1, status: nil, failure: lost), task(2, 3, status: 500), task(4, 5)]) == [])
        #expect(duplicates([task(0, 1, status: 503), task(2, 3), task(4, 5)]) == ["/x"])
        // Started before the failure was known: no retry.
        #expect(duplicates([task(0, 5, status: 503), task(2, 3)]) == ["/x"])
    }

    @Test func aSteadyPollIsNotADuplicateAndALoopIs() {
        let poll = [task(0, 60), task(5_200, 5_260), task(10_000, 10_060), task(15_200, 15_260)]
        #expect(duplicates(poll) == [])
        #expect(duplicates(series(4, every: 400, lasting: 390)) == ["/x"])
        #expect(duplicates([task(0, 50), task(1_000, 1_050), task(9_000, 9_050)]) == ["/x"])
        #expect(duplicates([task(0, 50), task(5_000, 5_050)]) == ["/x"])
    }

    @Test func redirectedTasksCompareByWhatTheAppAsked() {
        #expect(
            duplicates([task(0, 1, "http://h/old", redirects: 1), task(2, 3, "http://h/old", redirects: 1)]) == ["/old"]
        )
    }
}
