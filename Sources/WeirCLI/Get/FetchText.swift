import Foundation
import WeirAudit
import WeirModel
import WeirReports

/// Requests as `weir get` shows them: each exchange with its phases, what is the network's and what the server's.
struct FetchText: Sendable {
    var width: Int
    var style: TextStyle

    /// One request: each exchange of it on a line with its phases below.
    ///
    /// - Parameters:
    ///   - fetch: The request.
    ///   - roundTrip: R in milliseconds where another request told it.
    func text(_ fetch: Fetch, roundTrip: Double?) -> String {
        let record = fetch.record
        var lines: [String] = []
        for (index, transaction) in record.transactions.enumerated() {
            lines.append(heading(transaction, hop: index, of: record.transactions.count))
            lines += phases(transaction, of: record)
            if let floor = RequestFloor(transaction, roundTrip: roundTrip), transaction.response != nil {
                lines.append(note("floor", "\(floor)" + share(floor, of: transaction)))
            }
        }
        if record.transactions.count > 1 { lines.append(row("all", record.duration, bar: "")) }
        if let failure = record.failure {
            let reached = Self.reached(record.transactions.last)
            // Whole, however long: it is what the reader came for.
            let text = PrintableText("failed after \(reached): \(failure.message)", asciiOnly: style.glyphs == .ascii)
            lines.append(style.paint(text.description, .red))
        } else {
            let report = NetworkAudit.Report(records: [record])
            // A single request waits for nothing but the program itself to begin.
            let verdict = report.verdict(for: 0)
            if let verdict, verdict.cause != .ownQueue { lines.append("  \(verdict)") }
            let wrapped = WrappedText(width: max(width, 40), style: style)
            for caveat in Self.caveats(record, verdict, roundTrip: roundTrip) {
                lines += wrapped.lines(caveat, first: "  ", rest: "  ")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Several requests for one URL, those over new connections and those over kept ones apart.
    func summary(_ fetches: [Fetch]) -> String {
        var text = ""
        for (name, isReused) in [("new connections", false), ("kept connections", true)] {
            let own = fetches.filter { $0.isReused == isReused && $0.record.failure == nil }
            guard !own.isEmpty else { continue }
            text += style.paint("\(Quantity.count(own.count, "request")) over \(name), in ms", .bold) + "\n"
            text +=
                "  " + Self.padded("", 10)
                + ["least", "median", "most"].map { Self.padded($0, 10, right: true) }.joined()
            text += "\n"
            for line in FetchSpread(own).lines {
                let missing = line.count < own.count ? "  (\(line.count) of \(own.count))" : ""
                let values = [line.least, line.median, line.most].map {
                    Self.padded(Quantity.fixed($0, 1), 10, right: true)
                }
                text += "  " + Self.padded(line.name, 10) + values.joined() + missing + "\n"
            }
        }
        let failed = fetches.count { $0.record.failure != nil }
        if failed > 0 {
            text += style.paint("\(failed) of \(Quantity.count(fetches.count, "request")) failed", .red) + "\n"
        }
        return text
    }

    /// How far an exchange came.
    static func reached(_ transaction: Transaction?) -> String {
        guard let transaction else { return "no more than being asked for" }
        if transaction.responseStartDate != nil { return "the head of the response" }
        if transaction.requestEndDate != nil { return "sending the request" }
        if transaction.connectEndDate != nil || transaction.isReusedConnection == true { return "connecting" }
        if transaction.secureConnectionStartDate != nil { return "the TCP handshake" }
        if transaction.connectStartDate != nil { return "starting to connect" }
        if transaction.domainLookupEndDate != nil { return "the name lookup" }
        return transaction.domainLookupStartDate != nil ? "starting the name lookup" : "no more than being asked for"
    }

    private func heading(_ transaction: Transaction, hop: Int, of count: Int) -> String {
        var parts = ["\(transaction.request.method) \(transaction.request.url.absoluteString)"]
        if let response = transaction.response {
            parts.append("\(response.statusCode)")
        }
        var facts: [String] = []
        if let name = transaction.networkProtocolName { facts.append(name) }
        if let version = transaction.negotiatedTLSProtocolVersion {
            facts.append(version == 0x0304 ? "TLS 1.3" : version == 0x0303 ? "TLS 1.2" : "TLS")
            if let suite = transaction.negotiatedTLSCipherSuite {
                facts.append(TLSCipherSuite.name(of: suite) ?? String(format: "0x%04X", suite))
            }
            if transaction.isResumedTLSSession == true { facts.append("resumed") }
        }
        if let address = transaction.remoteAddress {
            let host = address.contains(":") ? "[\(address)]" : address
            facts.append(host + (transaction.remotePort.map { ":\($0)" } ?? ""))
        }
        if let isReused = transaction.isReusedConnection {
            facts.append(isReused ? "kept connection" : "new connection")
        }
        if !transaction.resourceFetchType.usesNetwork { facts.append(transaction.resourceFetchType.rawValue) }
        let text = parts.joined(separator: "  ")
        let hops = count > 1 ? "\(hop + 1)/\(count) " : ""
        let first = style.paint(printable(hops + text), .bold)
        guard !facts.isEmpty else { return first }
        return first + "\n  " + style.paint(printable(facts.joined(separator: ", ")), .dim)
    }

    private func phases(_ transaction: Transaction, of record: TaskRecord) -> [String] {
        let intervals = Transaction.Phase.allCases.compactMap { phase in
            transaction.interval(of: phase).map { (phase, $0) }
        }
        guard let start = intervals.map(\.1.start).min(), let end = intervals.map(\.1.end).max() else { return [] }
        let cells = max(0, width - 30)
        let span = max(end.timeIntervalSince(start), 1e-9)
        return intervals.map { phase, interval in
            var bar = ""
            if cells >= 8 {
                let from = Int((interval.start.timeIntervalSince(start) / span * Double(cells)).rounded(.down))
                let to = Int((interval.end.timeIntervalSince(start) / span * Double(cells)).rounded())
                let length = max(1, min(cells, to) - min(from, cells - 1))
                bar =
                    String(repeating: " ", count: min(from, cells - 1))
                    + String(repeating: style.glyph("▒", "="), count: length)
            }
            let name = phase == .connect && transaction.secureConnectionStartDate != nil ? "connect" : phase.rawValue
            return row(phase == .tls ? "  tls" : name, interval.end.timeIntervalSince(interval.start), bar: bar)
        } + size(transaction)
    }

    private func size(_ transaction: Transaction) -> [String] {
        guard let wire = transaction.countOfResponseBodyBytesReceived else { return [] }
        let decoded = transaction.countOfResponseBodyBytesAfterDecoding
        let coding = transaction.response?.headerFields.first { $0.name.lowercased() == "content-encoding" }?.value
        var text = Quantity.bytes(wire) + (wire < 100_000 ? " B" : "")
        if let decoded, decoded != wire, let coding { text += " as \(coding), \(Quantity.bytes(decoded)) decoded" }
        return [note("body", text)]
    }

    private func share(_ floor: RequestFloor, of transaction: Transaction) -> String {
        guard let roundTrip = floor.roundTrip, let server = floor.server else { return "" }
        return String(format: "; R = %.1f ms, the server's S = %.1f ms", roundTrip, server)
    }

    private func row(_ name: String, _ seconds: TimeInterval, bar: String) -> String {
        let time = Self.padded(Quantity.fixed(seconds * 1000, 1), 10, right: true) + " ms"
        let line = "  " + Self.padded(name, 10) + time + (bar.isEmpty ? "" : "  " + bar)
        return String(line.prefix(width))
    }

    private func note(_ name: String, _ text: String) -> String {
        printable("  " + Self.padded(name, 10) + "  " + text)
    }

    private func printable(_ text: String) -> String {
        PrintableText(text, asciiOnly: style.glyphs == .ascii).truncated(
            to: max(width, 20), ellipsis: style.glyph("…", "~")
        ).description
    }

    private static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return right ? space + text : text + space
    }
}
