import Foundation
import Testing
import WeirAudit
import WeirModel

@testable import WeirCLI

/// What `weir get` says of one request besides its figures.
@Suite struct FetchTextTests {
    private let zero = Date(timeIntervalSinceReferenceDate: 700_000_000)
    private func at(_ milliseconds: Double) -> Date { zero + milliseconds / 1000 }

    /// A request over a new connection that waits 300 ms for its answer.
    private func record(tcp: Double, tls: Double?, address: String = "192.0.2.1", late: Double? = nil) -> TaskRecord {
        var exchange = Transaction(
            request: .init(method: "GET", url: "https://h.example/", headerFields: []),
            response: .init(statusCode: 200), resourceFetchType: .networkLoad)
        let connected = tcp + (tls ?? 0)
        exchange.fetchStartDate = at(0)
        exchange.connectStartDate = at(0)
        if tls != nil {
            exchange.secureConnectionStartDate = at(tcp)
            exchange.secureConnectionEndDate = at(connected)
            exchange.negotiatedTLSProtocolVersion = 0x0304
        }
        exchange.connectEndDate = at(connected)
        exchange.requestStartDate = at(connected)
        exchange.requestEndDate = at(connected)
        exchange.responseStartDate = at(connected + 300)
        exchange.responseEndDate = at(connected + 301)
        exchange.isReusedConnection = false
        exchange.remoteAddress = address
        var record = TaskRecord(
            id: TaskRecord.nextID(), start: at(0), end: at(connected + 301), redirectCount: 0, transactions: [exchange],
            failure: nil, clockResolution: 0)
        record.schedulingDelay = late
        return record
    }

    private func caveats(_ record: TaskRecord, roundTrip: Double? = nil) -> [String] {
        FetchText.caveats(record, NetworkAudit.Report(records: [record]).verdict(for: 0), roundTrip: roundTrip)
    }

    @Test func whatIsKnownToBeTheServersIsTakenForThat() {
        #expect(caveats(record(tcp: 40, tls: 45)).isEmpty)
        #expect(caveats(record(tcp: 40, tls: nil)).isEmpty)
        #expect(caveats(record(tcp: 40, tls: 45, late: 0.004)).isEmpty)
    }

    /// A simulated link, or a proxy, that answers TCP by itself makes R small, and the way behind it the server's.
    @Test func aWayBehindWhatAnswersTCPIsSaid() {
        let found = caveats(record(tcp: 0.6, tls: 230))
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("A round trip of TLS took 230 ms and one of TCP 0.6 ms: what answers TCP is nearer")
                == true)
        let own = caveats(record(tcp: 0.2, tls: nil, address: "127.0.0.1"))
        #expect(own == ["The server is on this machine: a link that it simulates is in the waiting, too."])
    }

    @Test func anUnknownRoundTripIsSaid() {
        var kept = record(tcp: 0, tls: nil)
        kept.transactions[0].connectStartDate = nil
        kept.transactions[0].connectEndDate = nil
        kept.transactions[0].isReusedConnection = true
        #expect(caveats(kept) == ["R is not known here: a round trip of the network is in the waiting, too."])
        #expect(caveats(kept, roundTrip: 40).isEmpty)
    }

    @Test func aMachineThatWasLateIsSaid() {
        #expect(
            caveats(record(tcp: 40, tls: 45, late: 0.12)) == [
                "This machine was late by up to 120 ms: that is in the times above."
            ])
    }
}
