import Testing
@testable import WeirFormats
import WeirReports

@testable import WeirCLI

/// The table of what payloads of MetricKit say.
@Suite struct TransferTableTests {
    private func payload(_ bytes: Int64) -> TransferPayload {
        var payload = TransferPayload(day: "2026-11-01")
        payload.wifi = .init(down: bytes, up: 1)
        return payload
    }

    /// A number that stands for a larger one must not be taken for a sum.
    @Test func aSumThatCannotBeCountedIsSaid() {
        let style = TextStyle(isTerminal: false, environment: [:])
        let table = TransferTable([payload(.max), payload(5)])
        #expect(table.rows.map(\.isClamped) == [true])
        #expect(table.rows.first?.wifi.down == .max && table.rows.first?.wifi.up == 2)
        #expect(table.text(style: style).contains("A sum is larger than can be counted"))
        #expect(
            table.document.text.contains("\"isClamped\": true") || table.document.text.contains("\"isClamped\":true"))

        let plain = TransferTable([payload(4), payload(5)])
        #expect(plain.rows.first?.wifi.down == 9 && plain.rows.map(\.isClamped) == [false])
        #expect(!plain.text(style: style).contains("larger than can be counted"))
    }
}
