import Foundation
import Testing
import WeirAudit
import WeirModel

/// What another link makes of a screen, against what can be reckoned by hand.
@Suite struct LinkPredictionTests {
    /// 800 bytes a millisecond down, no limit up, 100 ms round trip.
    private let link = LinkProfile(
        name: "test", downlinkBitsPerSecond: 6_400_000, oneWayDelayDown: .milliseconds(50),
        oneWayDelayUp: .milliseconds(50))

    /// A request of so much server time, over a link of `roundTrip`; cold ones connect first.
    private func request(
        _ start: Double, server: Double, bytes: Int64 = 0, _ url: RequestURL = "http://h/x", roundTrip: Double = 10,
        isCold: Bool = false, tls: UInt16? = nil
    ) -> TaskRecord {
        let trips = isCold ? tls.map { $0 == 0x0304 ? 2.0 : 3.0 } ?? 1 : 0
        let sent = start + trips * roundTrip
        var record = task(start, sent + roundTrip + server, url, wire: bytes, reused: !isCold)
        record.transactions[0].requestStartDate = at(sent)
        record.transactions[0].requestEndDate = at(sent)
        record.transactions[0].countOfResponseHeaderBytesReceived = 0
        record.transactions[0].countOfRequestHeaderBytesSent = 0
        if isCold {
            record.transactions[0].connectStartDate = at(start)
            record.transactions[0].connectEndDate = at(sent)
            if let tls {
                record.transactions[0].secureConnectionStartDate = at(start + roundTrip)
                record.transactions[0].secureConnectionEndDate = at(sent)
                record.transactions[0].negotiatedTLSProtocolVersion = tls
            }
        }
        return record
    }

    private func wall(_ records: [TaskRecord], _ link: LinkProfile) -> Double {
        NetworkAudit.Report(records: records).whatIf.outcome(on: link).wall
    }

    @Test func theFloorsOfOneRequest() {
        // Cold plain TCP 2R + S; TLS 1.3 3R + S; TLS 1.2 4R + S.
        #expect(abs(wall([request(0, server: 30, isCold: true)], link) - 230) < 0.01)
        #expect(abs(wall([request(0, server: 30, "https://h/x", isCold: true, tls: 0x0304)], link) - 330) < 0.01)
        #expect(abs(wall([request(0, server: 30, "https://h/x", isCold: true, tls: 0x0303)], link) - 430) < 0.01)
    }

    @Test func aRowPaysTheRoundTripEachTime() {
        let row = [
            request(0, server: 20, isCold: true), request(41, server: 20, "http://h/y"),
            request(72, server: 20, "http://h/z"),
        ]
        // Two handshakes' trips for the first, one for each of the others, and a millisecond between.
        #expect(abs(wall(row, link) - (220 + 1 + 120 + 1 + 120)) < 0.1)
    }

    @Test func transfersShareTheRate() {
        let two = [
            request(0, server: 0, bytes: 8_000, "http://h/a", isCold: true),
            request(0, server: 0, bytes: 8_000, "http://h/b", isCold: true),
        ]
        // 16 000 B at 800 B/ms are 20 ms, whichever way they are shared.
        #expect(abs(wall(two, link) - 220) < 0.1)
        let uneven = [two[0], request(0, server: 0, bytes: 4_000, "http://h/b", isCold: true)]
        #expect(abs(wall(uneven, link) - 215) < 0.1)
    }

    @Test func aLargeBodyWaitsForTheWindow() {
        // 14 600, then 29 200, then the rest: two acknowledgements are waited for, less what sending takes.
        let large = request(0, server: 0, bytes: 80_000, isCold: true)
        #expect(abs(wall([large], link) - (200 + 100 + (100 - 14_600 / 800.0) + (100 - 29_200 / 800.0))) < 0.1)
    }

    @Test func fixesAreWorthMoreOverASlowLink() {
        let row = (0..<4).map { index -> TaskRecord in
            var record = request(
                Double(index) * 41, server: 30, RequestURL("http://h/\(["a", "b", "c", "d"][index])"),
                isCold: index == 0)
            record.isExamined = true
            return record
        }
        let report = NetworkAudit.Report(records: row)
        let whatIf = report.whatIf
        let plain = whatIf.outcome(on: .threeG).wall
        let fixed = whatIf.outcome(fixing: report.findings, on: .threeG).wall
        let here = whatIf.baseline.wall - whatIf.outcome(fixing: report.findings).wall
        #expect(report.findings.map(\.rule) == [.waterfall])
        #expect(plain - fixed > here * 3)
    }

    @Test func linksOfNothingDoNotTrap() {
        let records = [request(0, server: 20, bytes: .max, isCold: true), request(50, server: 1, bytes: 0)]
        for rate in [0, -1, .infinity, .nan, 1e-300] as [Double] {
            let odd = LinkProfile(name: "odd", downlinkBitsPerSecond: rate, uplinkBitsPerSecond: rate)
            #expect(!wall(records, odd).isNaN)
        }
    }
}
