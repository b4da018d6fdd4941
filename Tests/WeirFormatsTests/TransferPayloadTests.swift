import Foundation
import Testing

@testable import WeirFormats

/// Payloads of MetricKit.
@Suite struct TransferPayloadTests {
    /// In the form that `MXMetricPayload.jsonRepresentation()` has, its names in no order.
    private static func text(
        _ transfers: String =
            #""cumulativeCellularDownload": "80,000 kB", "cumulativeWifiDownload": "60,000 kB", "cumulativeCellularUpload": "70,000 kB", "cumulativeWifiUpload": "50,000 kB""#,
        region: String = "US", begin: String = "2019-10-21 07:00:00 +0000"
    ) -> String {
        #"""
        {
          "signpostMetrics": [{"signpostName": "TestSignpostName1", "totalSignpostCount": 30}],
          "networkTransferMetrics": {\#(transfers)},
          "timeStampEnd": "2019-10-22 06:59:00 +0000",
          "metaData": {"appBuildVersion": "41", "osVersion": "iPhone OS 13.1.3 (17A878)", "regionFormat": "\#(region)", "deviceType": "iPhone9,2"},
          "appVersion": "1.0.0",
          "timeStampBegin": "\#(begin)"
        }
        """#
    }

    private func payloads(_ text: String) throws -> [TransferPayload] {
        try TransferPayload.file(of: Array(text.utf8)).payloads
    }

    @Test func isRead() throws {
        let payload = try #require(try payloads(Self.text()).first)
        #expect(payload.day == "2019-10-21")
        #expect(payload.version == "1.0.0" && payload.build == "41")
        #expect(
            payload.system == "iPhone OS 13.1.3 (17A878)" && payload.device == "iPhone9,2" && payload.region == "US")
        #expect(payload.cellular == .init(down: 80_000_000, up: 70_000_000))
        #expect(payload.wifi == .init(down: 60_000_000, up: 50_000_000))
        #expect(payload.hasTransfers)
    }

    @Test func severalComeInAnArray() throws {
        #expect(
            try payloads("[\(Self.text()), \(Self.text(begin: "2019-10-22 07:00:00"))]").map(\.day) == [
                "2019-10-21", "2019-10-22",
            ])
        #expect(try payloads("[]").isEmpty)
    }

    /// One that is bad is no reason to leave the others out.
    @Test func whatCannotBeReadIsListed() throws {
        let bad = Self.text(begin: "yesterday")
        let file = try TransferPayload.file(of: Array("[\(Self.text()), 3, \(bad), \(Self.text())]".utf8))
        #expect(file.payloads.count == 2)
        #expect(file.skipped.map(\.number) == [2, 3])
        #expect("\(try #require(file.skipped.first))".hasSuffix("A payload is an object, and this is a number"))
        #expect("\(try #require(file.skipped.last))".contains("\"timeStampBegin\" must be a time"))
        #expect(throws: TransferPayload.Problem.self) { try TransferPayload.file(of: Array("[\(bad)]".utf8)) }
    }

    @Test func oneALineAndAfterAByteOrderMark() throws {
        func line(_ begin: String) -> String {
            Self.text(begin: begin).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined()
        }
        let lines = [line("2026-11-01 07:00:00"), "", line("soon"), "{\"cut\": ", line("2026-11-02 07:00:00")]
        let text = lines.joined(separator: "\r\n") + "\n"
        let file = try TransferPayload.file(of: Array(text.utf8))
        #expect(file.payloads.map(\.day) == ["2026-11-01", "2026-11-02"])
        #expect(file.skipped.map(\.number) == [2, 3])
        #expect(file.skipped.map(\.problem.line) == [3, 4])

        let marked = [0xEF, 0xBB, 0xBF] + Array(Self.text().utf8)
        #expect(TransferPayload.isBegun(marked))
        #expect(try TransferPayload.file(of: marked).payloads.count == 1)
    }

    /// Some metrics come in payloads of their own.
    @Test func whatIsNotToldIsUnknown() throws {
        let payload = try #require(
            try payloads(
                #"{"diskSpaceUsageMetrics": {}, "timeStampBegin": "2026-08-26 11:09:50", "metaData": {"pid": -1}}"#
            ).first)
        #expect(payload.cellular == .init(down: nil, up: nil) && payload.wifi == .init(down: nil, up: nil))
        #expect(!payload.hasTransfers && payload.version == nil && payload.build == nil)
        let partial = try #require(try payloads(Self.text(#""cumulativeWifiUpload": "0 kB""#)).first)
        #expect(partial.wifi == .init(down: nil, up: 0) && partial.cellular == .init(down: nil, up: nil))
    }

    @Test(
        arguments: [
            ("0 kB", 0), ("1 B", 1), ("12 bytes", 12), ("80,000 kB", 80_000_000), ("1,234.5 kB", 1_234_500),
            ("1.234,5 kB", 1_234_500), ("1 234,5 ko", 1_234_500), ("1\u{A0}234,5\u{A0}kB", 1_234_500),
            ("1\u{202F}234,5 kB", 1_234_500), ("1'234.5 kB", 1_234_500), ("1’234.5 kB", 1_234_500),
            ("12,34,567 kB", 1_234_567_000), ("1.234.567 kB", 1_234_567_000), ("2.5 MB", 2_500_000),
            ("2,5 MB", 2_500_000), ("1 GB", 1_000_000_000), ("1 KiB", 1024), ("0.001 kB", 1), ("0,125 MB", 125_000),
            // Either could be meant; commas group where nothing says otherwise, and points do not.
            ("1,234 kB", 1_234_000), ("1.234 kB", 1234),
        ] as [(String, Int64)])
    func amountsAreRead(text: String, bytes: Int64) throws {
        let payload = try #require(try payloads(Self.text(#""cumulativeWifiUpload": "\#(text)""#)).first)
        #expect(payload.wifi.up == bytes)
    }

    @Test func oneNumberTellsHowOthersAreWritten() throws {
        let payload = try #require(
            try payloads(
                Self.text(
                    #""cumulativeWifiUpload": "1.234 kB", "cumulativeWifiDownload": "5,5 kB", "cumulativeCellularUpload": "2,345 kB""#
                )
            ).first)
        #expect(payload.wifi == .init(down: 5_500, up: 1_234_000))
        #expect(payload.cellular.up == 2_345)
        // Where none does, the device's region.
        let german = try #require(try payloads(Self.text(#""cumulativeWifiUpload": "1.234 kB""#, region: "DE")).first)
        #expect(german.wifi.up == 1_234_000)
    }

    @Test(
        arguments: [
            ("", "line 1, column 1: This is not JSON"), ("3", "A payload is an object, and this is a number."),
            ("[3]", "line 1, column 2: A payload is an object"), ("{}", "The payload has no \"timeStampBegin\"."),
            (#"{"timeStampBegin": 3}"#, "line 1, column 20: \"timeStampBegin\" must be a time"),
            (#"{"timeStampBegin": "2019-13-21"}"#, "must be a time"),
            (#"{"timeStampBegin": "21.10.2019 07:00"}"#, "must be a time"),
            (
                #"{"timeStampBegin": "2019-10-21", "appVersion": 3}"#,
                "\"appVersion\" must be a string, and this is a number."
            ),
            (#"{"timeStampBegin": "2019-10-21", "metaData": 3}"#, "\"metaData\" must be an object."),
            (#"{"timeStampBegin": "2019-10-21", "networkTransferMetrics": []}"#, "must be an object."),
            (text(#""cumulativeWifiUpload": 3"#), "line 3, column 54: An amount of data is a string"),
            (text(#""cumulativeWifiUpload": "x kB""#), "\"x kB\" is no amount of data"),
            (text(#""cumulativeWifiUpload": "3 ms""#), "\"3 ms\" is no amount of data"),
            (text(#""cumulativeWifiUpload": "3""#), "is no amount of data"),
            (text(#""cumulativeWifiUpload": "-3 kB""#), "is no amount of data"),
            (text(#""cumulativeWifiUpload": "1,2,3.4.5 kB""#), "is no amount of data that can be read"),
            (text(#""cumulativeWifiUpload": "999999999999999999 TB""#), "is no amount of data that can be read"),
        ] as [(String, String)])
    func badInputIsToldWithItsPlace(text: String, problem: String) {
        do {
            _ = try payloads(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect("\(error)".contains(problem), "\(error)")
        }
    }

    @Test func isRecognised() {
        #expect(TransferPayload.isBegun(Self.text().utf8))
        #expect(TransferPayload.isBegun("\n[\(Self.text())]".utf8))
        #expect(!TransferPayload.isBegun(#"{"log": {"entries": [], "comment": "timeStampBegin"}}"#.utf8))
        #expect(!TransferPayload.isBegun("".utf8))
        #expect(!TransferPayload.isBegun(#"timeStampBegin"#.utf8))
    }
}
