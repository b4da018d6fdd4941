import Foundation
import Testing
import WeirFormats
import WeirModel

@Suite struct HARTimingTests {
    private func first(_ recording: Recording) throws -> Transaction { try #require(recording.transactions.first) }

    @Test func phasesAreLaidOutFromTheStart() throws {
        let recording = try HAR.read(HAR.entry())
        let transaction = try first(recording)
        let start = try #require(transaction.fetchStartDate)
        #expect(start.timeIntervalSince1970 == 1_796_032_800)
        #expect(milliseconds(start, transaction.domainLookupStartDate) == 5)
        #expect(milliseconds(start, transaction.domainLookupEndDate) == 15)
        #expect(milliseconds(start, transaction.connectStartDate) == 15)
        #expect(milliseconds(start, transaction.secureConnectionStartDate) == 23)
        #expect(milliseconds(start, transaction.secureConnectionEndDate) == 35)
        #expect(milliseconds(start, transaction.connectEndDate) == 35)
        #expect(milliseconds(start, transaction.requestStartDate) == 35)
        #expect(milliseconds(start, transaction.requestEndDate) == 36)
        #expect(milliseconds(start, transaction.responseStartDate) == 56)
        #expect(milliseconds(start, transaction.responseEndDate) == 60)
        #expect(microseconds(recording.records[0].duration) == 60_000)
        #expect(recording.notes.isEmpty)
    }

    @Test func absentPhasesAreAbsent() throws {
        let recording = try HAR.read(
            HAR.entry(
                timings: #"{"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 55, "receive": 5}"#),
            HAR.entry(timings: #"{"send": 0, "wait": 55, "receive": 5}"#))
        for transaction in recording.transactions {
            #expect(transaction.dns == nil)
            #expect(transaction.connect == nil)
            #expect(transaction.tls == nil)
            #expect(transaction.queueing == 0)
            #expect(microseconds(transaction.waiting) == 55_000)
        }
    }

    /// Firebug, Firefox and Fiddler write 0 for what did not happen; Chrome writes -1 for that.
    @Test func zeroIsAbsentWhereTheFileHasNoMinusOne() throws {
        let zero = #"{"blocked": 0, "dns": 0, "connect": 0, "ssl": 0, "send": 0, "wait": 60, "receive": 0}"#
        let firebug = try HAR.read(HAR.entry(timings: zero), HAR.entry())
        #expect(firebug.transactions[0].connect == nil)
        #expect(firebug.transactions[0].dns == nil)
        #expect(firebug.transactions[1].connect != nil)
        let chrome = try HAR.read(
            HAR.entry(timings: zero), HAR.entry(timings: zero.replacing(#""connect": 0"#, with: #""connect": -1"#)))
        #expect(chrome.transactions[0].connect == 0)
        #expect(chrome.transactions[0].tls == nil)
        #expect(chrome.transactions[1].connect == nil)
    }

    @Test func tlsIsWhereItMakesTheTimeFit() throws {
        let timings = #"{"dns": 5, "connect": 20, "ssl": 15, "send": 0, "wait": 30, "receive": 5}"#
        let inside = try HAR.read(HAR.entry(time: "60", timings: timings))
        #expect(microseconds(inside.transactions[0].connect) == 20_000)
        #expect(microseconds(inside.transactions[0].tls) == 15_000)
        #expect(microseconds(inside.records[0].duration) == 60_000)
        let after = try HAR.read(HAR.entry(time: "75", timings: timings), HAR.entry(time: "75", timings: timings))
        #expect(after.transactions.map { microseconds($0.connect) } == [35_000, 35_000])
        #expect(after.transactions.map { microseconds($0.tls) } == [15_000, 15_000])
        #expect(after.records.map { microseconds($0.duration) } == [75_000, 75_000])
        #expect(after.count(of: .tlsAfterConnect) == 2)
    }

    /// A handshake longer than the whole connect cannot be inside it, whatever the majority does.
    @Test func tlsLongerThanConnectIsAfterIt() throws {
        let recording = try HAR.read(
            HAR.entry(), HAR.entry(),
            HAR.entry(time: "150", timings: #"{"connect": 20, "ssl": 100, "send": 0, "wait": 30, "receive": 0}"#))
        #expect(microseconds(recording.transactions[2].connect) == 120_000)
        #expect(microseconds(recording.transactions[2].tls) == 100_000)
        #expect(microseconds(recording.transactions[0].connect) == 20_000)
    }

    @Test func plainHTTPHasNoTLS() throws {
        let recording = try HAR.read(
            HAR.entry(
                "http://a.example/", time: "36",
                timings: #"{"connect": 10, "ssl": 14, "send": 1, "wait": 25, "receive": 0}"#))
        #expect(recording.transactions[0].tls == nil)
        #expect(microseconds(recording.transactions[0].connect) == 10_000)
    }

    /// Chrome does not clamp `wait`: an impossible duration is absent and counted, and later marks stay where they were.
    @Test func aNegativeWaitIsImpossible() throws {
        let recording = try HAR.read(
            HAR.entry(
                time: "61.375",
                timings: #"{"blocked": 1, "dns": -1, "connect": -1, "send": 50, "wait": -1.375, "receive": 10.375}"#),
            creator: "WebInspector 537.36")
        let transaction = try first(recording)
        #expect(transaction.waiting == nil)
        #expect(transaction.impossiblePhases == [.waiting])
        #expect(milliseconds(transaction.fetchStartDate, transaction.responseEndDate) == 60)
        #expect(recording.count(of: .impossiblePhase) == 1)
        #expect(recording.warnings.count == 1)
    }

    /// Without a queueing time, Chrome starts counting `blocked` from -1.
    @Test func chromesBlockedIsOffByOne() throws {
        func queueing(_ blocked: String, _ queued: String, creator: String = "WebInspector 537.36") throws -> Int? {
            let timings = """
                {"blocked": \(blocked), "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 9, "receive": 1,
                 "_blocked_queueing": \(queued)}
                """
            return microseconds(
                try first(try HAR.read(HAR.entry(time: "10", timings: timings), creator: creator)).queueing)
        }
        #expect(try queueing("4.5", "-1") == 5500)
        #expect(try queueing("-0.25", "-1") == 750)
        #expect(try queueing("-1", "-1") == 0)
        #expect(try queueing("4.5", "3") == 4500)
        #expect(try queueing("4.5", "-1", creator: "Other 1") == 4500)
    }

    @Test func aRequestThatWasNeverSentHasOnlyABegin() throws {
        let timings = #"{"blocked": 4.25, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 0, "receive": 0}"#
        let recording = try HAR.read(
            HAR.entry(
                time: "4.25", timings: timings, response: #""status": 0, "_error": "net::ERR_INTERNET_DISCONNECTED""#))
        let record = recording.records[0]
        #expect(record.failure?.message == "net::ERR_INTERNET_DISCONNECTED")
        #expect(microseconds(record.duration) == 4250)
        #expect(record.transactions[0].response == nil)
        #expect(record.transactions[0].requestStartDate == nil)
        #expect(record.transactions[0].queueing == nil)
        #expect(record.transactions[0].resourceFetchType == .unknown)
    }

    @Test func aFailureAfterSendingHasNoResponseDates() throws {
        let recording = try HAR.read(
            HAR.entry(
                time: "40", timings: #"{"connect": 10, "send": 2, "wait": 28, "receive": 0}"#,
                response: #""status": 0, "content": {}, "_error": "reset by peer""#))
        let transaction = try first(recording)
        #expect(transaction.requestEndDate != nil)
        #expect(transaction.responseStartDate == nil)
        #expect(transaction.responseEndDate == nil)
        #expect(microseconds(recording.records[0].duration) == 40_000)
    }

    @Test func whatIsUnknownIsLeftOutOrComesFromTime() throws {
        func read(_ time: String, _ timings: String) throws -> TaskRecord {
            try #require(try HAR.read(HAR.entry(time: time, timings: timings)).records.first)
        }
        // `receive` unknown, and `time` no more than the sum of the rest: the end of the response is unknown.
        var record = try read("50", #"{"send": 10, "wait": 40, "receive": -1}"#)
        #expect(record.transactions[0].responseEndDate == nil)
        #expect(microseconds(record.duration) == 50_000)
        // `time` tells of it.
        record = try read("90", #"{"send": 10, "wait": 40, "receive": -1}"#)
        #expect(microseconds(record.transactions[0].download) == 40_000)
        // `wait` unknown: it is not what is left.
        record = try read("90", #"{"send": 10, "wait": -1, "receive": 30}"#)
        #expect(milliseconds(record.start, record.transactions[0].responseStartDate) == 60)
        #expect(milliseconds(record.start, record.transactions[0].responseEndDate) == 90)
        // Nothing but `time`.
        record = try read("90", "{}")
        #expect(record.transactions[0].waiting == nil)
        #expect(record.transactions[0].requestStartDate == nil)
        #expect(milliseconds(record.start, record.transactions[0].responseEndDate) == 90)
        // Zeros in an entry that took time say nothing.
        record = try read("350", #"{"send": 0, "wait": 0, "receive": 0}"#)
        #expect(record.transactions[0].waiting == nil)
        #expect(microseconds(record.duration) == 350_000)
        // Not even `time`.
        record = try read("null", "null")
        #expect(record.duration == 0)
        // No clock can have measured this.
        record = try read("1e300", #"{"send": 1e200, "wait": 5, "receive": 0}"#)
        #expect(microseconds(record.duration) == 5000)
    }

    @Test func aTimeThatIsNotTheSumIsNoted() throws {
        let recording = try HAR.read(
            HAR.entry(time: "80", timings: #"{"send": 0, "wait": 30, "receive": 5}"#),
            HAR.entry(time: "10", timings: #"{"blocked": 25, "send": 0, "wait": 5, "receive": 5}"#))
        #expect(recording.count(of: .elapsedMismatch) == 2)
        #expect(recording.records.map { microseconds($0.duration) } == [80_000, 35_000])
        #expect(milliseconds(recording.records[0].start, recording.transactions[0].responseEndDate) == 35)
    }

    @Test(arguments: [
        ("2016-06-28T21:42:02.7221474+01:00", 1_467_146_522.7221474), ("2026-11-30T10:00:00Z", 1_796_032_800.0),
        ("2023-07-25T11:03:15.216374+00:00", 1_690_282_995.216374),
        ("2023-03-29T17:37:42.482-07:00", 1_680_136_662.482),
        ("2015-02-22T19:28:12.136-0800", 1_424_662_092.136),
    ])
    func dates(text: String, seconds: Double) throws {
        let record = try #require(try HAR.read(HAR.entry(at: text)).records.first)
        #expect(abs(record.start.timeIntervalSince1970 - seconds) < 1e-6)
    }

    /// WebPageTest: startedDateTime is when the request was sent; name lookup and connect came before it.
    @Test func webPageTestStartsBeforeItSays() throws {
        let recording = try HAR.read(
            HAR.entry(
                at: "2026-11-30T10:00:00.484Z", time: "875",
                timings:
                    #"{"blocked": -1, "dns": -1, "connect": 453, "ssl": 242, "send": 0, "wait": 422, "receive": 0}"#,
                response: #""status": 200, "httpVersion": "us:""#,
                more: #""pageref": "p", "_all_start": 30, "_load_start": "484", "_protocol": "HTTP/2", "_socket": 18"#
            ).replacing("HTTP/1.1", with: "me:"),
            creator: "WebPagetest 3.0", pages: #"[{"id": "p", "startedDateTime": "2026-11-30T10:00:00.000Z"}]"#)
        let record = recording.records[0]
        let transaction = record.transactions[0]
        #expect(abs(record.start.timeIntervalSince1970 - 1_796_032_800.030) < 1e-6)
        #expect(milliseconds(record.start, transaction.connectEndDate) == 453)
        #expect(milliseconds(record.start, transaction.requestStartDate) == 454)
        #expect(milliseconds(record.start, transaction.responseEndDate) == 876)
        #expect(transaction.networkProtocolName == "h2")
    }

    @Test func pulseTellsNoTimes() throws {
        let recording = try HAR.read(
            HAR.entry(time: "250", response: #""status": 200, "httpVersion": "HTTP/2""#, more: #""connection": "443""#),
            creator: "Pulse HAR generation tool 0.1")
        let record = recording.records[0]
        #expect(record.clockResolution == 1)
        #expect(record.transactions[0].waiting == nil)
        #expect(record.transactions[0].connectStartDate == nil)
        #expect(record.transactions[0].networkProtocolName == nil)
        #expect(record.transactions[0].connectionID == nil)
        #expect(recording.count(of: .unusableTimes("Pulse HAR generation tool")) == 1)
        #expect(recording.warnings.count == 1)
    }

    /// Playwright counts TLS twice in `time`, and measures it from an unset mark on plain HTTP.
    @Test func playwrightsTLSIsInsideConnect() throws {
        let recording = try HAR.read(
            HAR.entry(
                time: "94", timings: #"{"dns": 0, "connect": 34, "ssl": 28, "send": 0, "wait": 28, "receive": 4}"#),
            HAR.entry(
                "http://a.example/", time: "44",
                timings: #"{"dns": 3, "connect": 10, "ssl": 14, "send": 0, "wait": 15, "receive": 2}"#),
            creator: "Playwright 1.23.0")
        #expect(recording.records.map { microseconds($0.duration) } == [66_000, 30_000])
        #expect(microseconds(recording.transactions[0].tls) == 28_000)
        #expect(recording.transactions[1].tls == nil)
        #expect(recording.count(of: .elapsedMismatch) == 0)
    }
}
