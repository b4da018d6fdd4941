import Foundation
import WeirReports
import WeirServer

/// Prints a server's journal while it grows, one line for each request, and what it all was at the end.
struct JournalPrinter {
    private let context: Context
    private let isJSON: Bool
    private let isQuiet: Bool
    /// Requests that had arrived and were not answered when the journal was looked at last.
    private var open: Set<Int> = []
    private var next = 0
    private var refusals = 0
    private var statuses: [Int: Int] = [:]
    private var bytes = 0
    private var cut = 0

    init(_ context: Context, isJSON: Bool, isQuiet: Bool) {
        self.context = context
        self.isJSON = isJSON
        self.isQuiet = isQuiet
    }

    /// Prints until the server stops or the task is cancelled.
    mutating func follow(_ server: LocalServer) async {
        var seen = 0
        while !Task.isCancelled, !context.output.isAbandoned {
            let before = seen
            let goesOn = await server.wait { $0.finished + $0.cancelled + $0.refused > before }
            let counters = server.counters
            seen = counters.finished + counters.cancelled + counters.refused
            printNew(server)
            if !goesOn { return }
        }
    }

    /// Prints what has not been.
    mutating func printNew(_ server: LocalServer) {
        var known: Set<Int> = []
        for entry in server.requests {
            if entry.number >= next {
                open.insert(entry.number)
                next = entry.number + 1
            }
            guard open.contains(entry.number) else { continue }
            known.insert(entry.number)
            guard entry.isFinished || entry.isCancelled else { continue }
            known.remove(entry.number)
            count(entry)
            if !isQuiet { context.output.write(isJSON ? Self.object(entry) : line(entry)) }
        }
        open = known
        let refused = server.refusals
        let new = min(max(0, server.counters.refused - refusals), refused.count)
        for refusal in refused.suffix(new) where !isQuiet && !isJSON {
            context.output.write("\(refusal.status)  refused: \(PrintableText(refusal.reason))\n")
        }
        refusals += new
        context.output.flush()
    }

    private mutating func count(_ entry: LocalServer.Entry) {
        if let status = entry.status { statuses[status, default: 0] += 1 }
        bytes += entry.bytesWritten
        if entry.isCancelled || entry.status == nil { cut += 1 }
    }

    private func line(_ entry: LocalServer.Entry) -> String {
        let status = entry.status.map(String.init) ?? "---"
        var text =
            "\(status)  \(Self.right(Self.size(entry.bytesWritten), 9))  \(Self.right(Self.milliseconds(entry), 10))  "
            + "\(PrintableText(entry.method)) \(PrintableText(entry.target))"
        if entry.isCancelled { text += "  (the client went away)" }
        if let error = entry.error { text += "  (\(PrintableText(error)))" }
        return text + "\n"
    }

    private static func object(_ entry: LocalServer.Entry) -> String {
        let fields: [(String, String)] = [
            ("method", quoted(entry.method)), ("target", quoted(entry.target)),
            ("status", entry.status.map(String.init) ?? "null"), ("bytes", String(entry.bytesWritten)),
            ("milliseconds", duration(entry).map { String(format: "%.1f", $0 * 1000) } ?? "null"),
            ("connection", String(entry.connection)), ("cancelled", entry.isCancelled ? "true" : "false"),
        ]
        return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}\n"
    }

    private static func quoted(_ text: String) -> String {
        let data = try? JSONEncoder().encode(text)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }

    /// From the request's first byte to the answer's last, in seconds.
    private static func duration(_ entry: LocalServer.Entry) -> TimeInterval? {
        entry.lastByteDate.map { max(0, $0.timeIntervalSince(entry.startDate)) }
    }

    private static func milliseconds(_ entry: LocalServer.Entry) -> String {
        duration(entry).map { String(format: "%.1f ms", $0 * 1000) } ?? "-"
    }

    static func size(_ bytes: Int) -> String {
        bytes < 1000
            ? "\(bytes) B"
            : bytes < 1_000_000
                ? String(format: "%.1f kB", Double(bytes) / 1e3)
                : String(format: "%.1f MB", Double(bytes) / 1e6)
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// The last line: how much there was.
    func summary(_ server: LocalServer, seconds: TimeInterval) -> String {
        let counters = server.counters
        func many(_ count: Int, _ one: String, _ more: String) -> String { "\(count) \(count == 1 ? one : more)" }
        var parts = [
            many(counters.requests, "request", "requests"),
            many(counters.connectionsAccepted, "connection", "connections"), Self.size(bytes) + " sent",
        ]
        if counters.discardedBodyBytes > 0 { parts.append(Self.size(counters.discardedBodyBytes) + " received") }
        if !statuses.isEmpty {
            parts.append(
                statuses.sorted { $0.key < $1.key }.map { "\($0.value) x \($0.key)" }.joined(separator: ", "))
        }
        if cut > 0 { parts.append("\(cut) cut short") }
        if counters.refused > 0 { parts.append("\(counters.refused) refused") }
        return parts.joined(separator: "; ") + String(format: "; %.1f s", seconds) + "\n"
    }
}
