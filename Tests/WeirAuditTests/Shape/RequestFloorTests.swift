import Foundation
import Testing
import WeirAudit
import WeirModel

@Suite struct RequestFloorTests {
    /// An exchange over a network whose round trip is 20 ms, with a server that takes 100 ms.
    private func exchange(reused: Bool?, tls: UInt16? = nil, resumed: Bool = false, name: String = "http/1.1")
        -> Transaction
    {
        var result = Transaction(request: .init(url: "https://h/"), resourceFetchType: .networkLoad)
        result.isReusedConnection = reused
        result.networkProtocolName = name
        if reused == false {
            result.connectStartDate = at(0)
            if let tls {
                result.secureConnectionStartDate = at(20)
                result.secureConnectionEndDate = at(60)
                result.negotiatedTLSProtocolVersion = tls
                result.isResumedTLSSession = resumed
            }
            result.connectEndDate = at(tls == nil ? 20 : 60)
        }
        result.requestStartDate = at(60)
        result.requestEndDate = at(60)
        result.responseStartDate = at(180)
        result.responseEndDate = at(181)
        return result
    }

    private func floor(_ transaction: Transaction, roundTrip: Double? = nil) throws -> RequestFloor {
        try #require(RequestFloor(transaction, roundTrip: roundTrip))
    }

    @Test func handshakesAreRoundTrips() throws {
        #expect(try floor(exchange(reused: true)).formula == "R + S")
        #expect(try floor(exchange(reused: false)).formula == "2R + S")
        #expect(try floor(exchange(reused: false, tls: 0x0304)).formula == "3R + S")
        #expect(try floor(exchange(reused: false, tls: 0x0303)).formula == "4R + S")
        #expect(try floor(exchange(reused: false, tls: 0x0303, resumed: true)).formula == "3R + S")
        #expect(try floor(exchange(reused: false, tls: 0x0304, name: "h3")).formula == "2R + S")
    }

    @Test func serverTimeIsWhatWaitingHasBeyondARoundTrip() throws {
        let cold = try floor(exchange(reused: false, tls: 0x0304))
        #expect(abs((cold.roundTrip ?? 0) - 20) < 0.01 && abs((cold.server ?? 0) - 100) < 0.01)
        #expect(cold.description == "3R + S = 160.0 ms")
        #expect(try floor(exchange(reused: true)).description == "R + S, R unknown")
        #expect(try floor(exchange(reused: true), roundTrip: 20).description == "R + S = 120.0 ms")
        // A server that is nearer than the handshake was takes no time, not less than none.
        #expect(try floor(exchange(reused: true), roundTrip: 500).server == 0)
    }

    @Test func whatCannotBeKnownHasNoFloor() {
        #expect(RequestFloor(exchange(reused: nil)) == nil)
        var hit = exchange(reused: true)
        hit.resourceFetchType = .localCache
        #expect(RequestFloor(hit) == nil)
        // Over QUIC both handshakes are one, so that R stays unknown.
        #expect(RequestFloor.roundTrip(of: exchange(reused: false, tls: 0x0304, name: "h3")) == nil)
    }
}
