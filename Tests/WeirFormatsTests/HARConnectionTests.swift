import Foundation
import Testing
import WeirFormats
import WeirModel

@Suite struct HARConnectionTests {
    private let opening = #"{"blocked": 0, "dns": -1, "connect": 20, "send": 0, "wait": 10, "receive": 0}"#
    private let reusing = #"{"blocked": 0, "dns": -1, "connect": -1, "send": 0, "wait": 30, "receive": 0}"#

    private func entry(
        _ milliseconds: Int, _ timings: String, id: String?, _ url: String = "https://a.example/", page: String = "p",
        more: String = ""
    ) -> String {
        let id = id.map { #", "connection": "\#($0)""# } ?? ""
        let digits = String(milliseconds + 1000).dropFirst()
        return HAR.entry(
            url, at: "2026-11-30T10:00:00.\(digits)Z", time: "30", timings: timings,
            more: #""pageref": "\#(page)"\#(id)\#(more)"#)
    }

    @Test func idsTellConnectionsApart() throws {
        let recording = try HAR.read(
            entry(0, opening, id: "17"), entry(5, opening, id: "18"), entry(100, reusing, id: "17"),
            entry(110, reusing, id: "19"), entry(120, reusing, id: "19"), entry(200, reusing, id: nil))
        #expect(recording.transactions.map(\.connectionID) == ["17", "18", "17", "19", "19", nil])
        #expect(recording.transactions.map(\.isReusedConnection) == [false, false, true, nil, true, true])
    }

    /// The one that waits for another's handshake starts first, and yet reuses.
    @Test func theOneThatConnectsOpens() throws {
        let recording = try HAR.read(
            entry(0, reusing.replacing(#""blocked": 0"#, with: #""blocked": 25"#), id: "135"),
            entry(2, opening, id: "135"), entry(3, opening, id: "9"))
        #expect(recording.transactions.map(\.isReusedConnection) == [true, false, false])
    }

    @Test func portsAreNoIDs() throws {
        let firefox = try HAR.read(
            entry(0, opening, id: "443"), entry(1, opening, id: "80", "http://a.example/"), entry(2, opening, id: nil),
            creator: "Firefox 111.0")
        #expect(firefox.transactions.map(\.connectionID) == [nil, nil, nil])
        #expect(firefox.transactions.map(\.remotePort) == [443, 80, nil])
        #expect(firefox.count(of: .connectionsNotTold) == 1)
        let fiddler = try HAR.read(
            entry(0, opening, id: "ClientPort:1;EgressPort:2"), entry(1, opening, id: "ClientPort:3;EgressPort:2"))
        #expect(fiddler.transactions.map(\.connectionID) == [nil, nil])
    }

    @Test func oneValueIsAnIDOnlyWhereBrowsersWriteIt() throws {
        let other = try HAR.read(entry(0, opening, id: "51"), entry(100, reusing, id: "51"))
        #expect(other.transactions.map(\.connectionID) == [nil, nil])
        #expect(other.transactions.map(\.isReusedConnection) == [false, true])
        let chrome = try HAR.read(
            entry(0, reusing, id: "51"), entry(100, reusing, id: "51"), creator: "WebInspector 537.36")
        #expect(chrome.transactions.map(\.connectionID) == ["51", "51"])
        #expect(chrome.transactions.map(\.isReusedConnection) == [nil, true])
    }

    @Test func withoutIDsTheServerTells() throws {
        let recording = try HAR.read(
            entry(0, reusing, id: nil, "https://b.example/"), entry(1, opening, id: nil),
            entry(2, reusing, id: nil, "https://b.example/"), entry(3, reusing, id: nil),
            entry(100, reusing, id: nil, "https://A.example:443/"), entry(101, "{}", id: nil))
        #expect(recording.transactions.map(\.isReusedConnection) == [nil, false, nil, nil, true, nil])
    }

    /// Repeat runs start a new browser, whose ids begin again.
    @Test func idsHoldWithinAPage() throws {
        let recording = try HAR.read(
            entry(0, opening, id: "17"), entry(100, reusing, id: "17"), entry(200, reusing, id: "17", page: "q"),
            entry(300, reusing, id: "18", page: "q", more: #", "_connectionReused": true"#),
            entry(310, reusing, id: "19", page: "q", more: #", "_connectionReused": false"#))
        #expect(recording.transactions.map(\.isReusedConnection) == [false, true, nil, true, false])
    }

    @Test func playwrightsDetails() throws {
        let recording = try HAR.read(
            HAR.entry(
                more: #""_serverPort": 8443, "_securityDetails": {"protocol": "TLS 1.3"}, "serverIPAddress": """#),
            HAR.entry(more: #""_serverPort": 0, "_securityDetails": {}"#))
        #expect(recording.transactions.map(\.remotePort) == [8443, nil])
        #expect(recording.transactions.map(\.negotiatedTLSProtocolVersion) == [0x0304, nil])
        #expect(recording.transactions.map(\.remoteAddress) == [nil, nil])
    }
}
