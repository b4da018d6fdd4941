import WeirFormats
import WeirReports

/// What payloads of MetricKit say, put together by day and version of the app.
struct TransferTable: Sendable {
    /// Payloads of one day and version.
    struct Row: Sendable, Hashable {
        var day: String
        var version: String?
        var build: String?
        var payloads = 0
        /// Payloads that tell nothing of transfers.
        var silent = 0
        var cellular = TransferPayload.Transfer()
        var wifi = TransferPayload.Transfer()
        /// Whether a sum is larger than can be counted, and the largest number stands for it.
        var isClamped = false

        /// `3.2 (41)`.
        var versionText: String {
            switch (version, build) {
            case (let version?, let build?) where version != build: "\(version) (\(build))"
            case (let version?, _): version
            case (nil, let build?): "(\(build))"
            case (nil, nil): "unknown"
            }
        }

        fileprivate mutating func add(_ payload: TransferPayload) {
            payloads += 1
            if !payload.hasTransfers { silent += 1 }
            add(payload.cellular, payload.wifi)
        }

        fileprivate mutating func add(_ row: Row) {
            payloads += row.payloads
            silent += row.silent
            isClamped = isClamped || row.isClamped
            add(row.cellular, row.wifi)
        }

        private mutating func add(_ moreCellular: TransferPayload.Transfer, _ moreWifi: TransferPayload.Transfer) {
            cellular.down = total(cellular.down, moreCellular.down)
            cellular.up = total(cellular.up, moreCellular.up)
            wifi.down = total(wifi.down, moreWifi.down)
            wifi.up = total(wifi.up, moreWifi.up)
        }

        /// What is unknown of one is known of both if it is of the other.
        private mutating func total(_ a: Int64?, _ b: Int64?) -> Int64? {
            guard let a, let b else { return a ?? b }
            let (sum, overflowed) = a.addingReportingOverflow(b)
            if overflowed { isClamped = true }
            return overflowed ? .max : sum
        }
    }

    /// By day, then by version.
    let rows: [Row]

    init(_ payloads: [TransferPayload]) {
        struct Key: Hashable {
            var day: String
            var version: String?
            var build: String?
        }
        var rows: [Key: Row] = [:]
        for payload in payloads {
            let key = Key(day: payload.day, version: payload.version, build: payload.build)
            rows[key, default: Row(day: key.day, version: key.version, build: key.build)].add(payload)
        }
        self.rows = rows.values.sorted { ($0.day, $0.versionText) < ($1.day, $1.versionText) }
    }

    var isEmpty: Bool { rows.isEmpty }

    private var total: Row {
        var total = Row(day: "all")
        for row in rows { total.add(row) }
        return total
    }

    /// The table for a terminal, with a line above.
    func text(style: TextStyle) -> String {
        let total = total
        var head = Quantity.count(total.payloads, "payload") + " of MetricKit. Bytes by day and version of the app."
        if total.silent > 0 {
            head += " \(total.silent == total.payloads ? "None" : "\(total.payloads - total.silent)") of them "
            head += total.payloads - total.silent == 1 ? "has transfers." : "have transfers."
        }
        if total.isClamped { head += " A sum is larger than can be counted: the largest number stands for it." }
        let titles = ["DAY", "VERSION", "PAYLOADS", "CELLULAR DOWN", "UP", "WI-FI DOWN", "UP"]
        var lines = rows.map { Self.cells($0, version: "\(PrintableText($0.versionText).shortened(to: 24))") }
        if rows.count > 1 { lines.append(Self.cells(total, version: "")) }
        let widths = titles.indices.map { column in
            max(titles[column].count, lines.map { $0[column].count }.max() ?? 0)
        }
        func line(_ cells: [String]) -> String {
            cells.indices.map { column in
                let spaces = String(repeating: " ", count: max(0, widths[column] - cells[column].count))
                return column < 2 ? cells[column] + spaces : spaces + cells[column]
            }.joined(separator: "  ")
        }
        var text = head + "\n\n" + style.paint(line(titles), .bold) + "\n"
        for (place, cells) in lines.enumerated() {
            text += (place == rows.count ? style.paint(line(cells), .bold) : line(cells)) + "\n"
        }
        return text
    }

    private static func cells(_ row: Row, version: String) -> [String] {
        [row.day, version, "\(row.payloads)"]
            + [row.cellular.down, row.cellular.up, row.wifi.down, row.wifi.up].map { $0.map(Quantity.bytes) ?? "-" }
    }

    /// The rows for other programs; what is unknown is null.
    var document: JSONText {
        .array(
            rows.map { row in
                [
                    "day": .string(row.day), "appVersion": JSONText(row.version),
                    "appBuildVersion": JSONText(row.build),
                    "payloads": JSONText(row.payloads), "payloadsWithoutTransfers": JSONText(row.silent),
                    "cellularDownBytes": JSONText(row.cellular.down), "cellularUpBytes": JSONText(row.cellular.up),
                    "wifiDownBytes": JSONText(row.wifi.down), "wifiUpBytes": JSONText(row.wifi.up),
                    "isClamped": .bool(row.isClamped),
                ]
            })
    }
}
