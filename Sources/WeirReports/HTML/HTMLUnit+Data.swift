import Foundation
import WeirAudit
import WeirModel

extension HTMLUnit {
    /// What the page's script needs of each request beyond what the rows show.
    var data: JSONText {
        var verdicts: [Int: Verdict] = [:]
        for verdict in unit.verdicts { verdicts[verdict.index] = verdict }
        var findings: [Int: [Finding]] = [:]
        for finding in unit.findings.prefix(200) {
            for index in finding.requests { findings[index, default: []].append(finding) }
        }
        return [
            "connections": .array(connections.labels.map { .string(HTMLText.visible($0, limit: 120)) }),
            "requests": .array(
                requests.map { request in
                    [
                        "url": shown(request.url), "method": shown(request.method), "host": shown(request.host),
                        "status": shown(request.statusClass), "code": shown(request.status),
                        "kind": shown(request.kind),
                        "title": shown(
                            "\(request.index.map { "#\($0 + 1) " } ?? "")\(request.method) \(request.target)"),
                        "phases": phases(of: request),
                        "facts": .array(facts(of: request).map { [shown($0.0), shown($0.1)] }),
                        "notes": .array(notes(on: request, verdicts, findings).map { shown($0) }),
                    ]
                }),
        ]
    }

    private func shown(_ text: String) -> JSONText { .string(HTMLText.visible(text)) }

    private func phases(of request: HTMLRequest) -> JSONText {
        .array(
            request.pieces.flatMap(\.bars).map { bar in
                [.string(bar.phase), .number(bar.start), .number(bar.end - bar.start)]
            })
    }

    private func facts(of request: HTMLRequest) -> [(String, String)] {
        var facts = [("Started", "at \(Quantity.duration(milliseconds: request.start))")]
        guard let index = request.index else { return facts }
        let record = unit.report.records[index]
        facts.append(("Took", Quantity.duration(milliseconds: request.end - request.start)))
        guard let outcome = record.outcome else { return facts }
        if let size = request.bytes { facts.append(("On the wire", Self.size(size))) }
        if let size = outcome.countOfResponseBodyBytesAfterDecoding { facts.append(("Decoded", Self.size(size))) }
        if let size = outcome.countOfRequestBodyBytesSent, size > 0 { facts.append(("Sent", Self.size(size))) }
        if let name = outcome.networkProtocolName { facts.append(("Protocol", name)) }
        if let number = request.pieces.compactMap(\.connection).last {
            let use = outcome.isReusedConnection.map { $0 ? ", reused" : ", new" } ?? ""
            facts.append(("Connection", "\(number + 1)\(use)"))
        }
        if let version = outcome.negotiatedTLSProtocolVersion {
            facts.append(("TLS", version == 0x0304 ? "1.3" : version == 0x0303 ? "1.2" : String(version, radix: 16)))
        }
        if record.redirectCount > 0 { facts.append(("Redirects", "\(record.redirectCount)")) }
        for name in ["content-type", "content-encoding", "cache-control", "etag", "server-timing"] {
            if let value = outcome.response?.headerFields[name] { facts.append((name, value)) }
        }
        return facts
    }

    private func notes(
        on request: HTMLRequest, _ verdicts: [Int: Verdict], _ findings: [Int: [Finding]]
    ) -> [String] {
        var notes: [String] = []
        if let failure = request.failure { notes.append("Failed: \(failure)") }
        guard let index = request.index else { return notes + ["Not done when the recording ended."] }
        if let verdict = verdicts[index] { notes.append("\(verdict)") }
        for edge in unit.report.records[index].edges.prefix(5) {
            let grade = edge.grade == .certain ? "" : " (\(edge.grade.rawValue))"
            notes.append(unit.report.sentence(for: edge, of: index) + grade)
        }
        if path.contains(index) { notes.append("On the critical path.") }
        notes += (findings[index] ?? []).prefix(6).map { "\($0.rule.rawValue): \($0.sentence)" }
        return notes
    }
}
