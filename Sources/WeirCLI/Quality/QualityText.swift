import Foundation
import WeirModel
import WeirReports

/// A test's result as text for a terminal.
struct QualityText {
    private let result: QualityResult
    private let style: TextStyle

    init(_ result: QualityResult, style: TextStyle) {
        self.result = result
        self.style = style
    }

    var text: String {
        var lines = [style.paint("\(PrintableText(result.url.absoluteString))", .bold) + "  " + transport]
        if let idle = result.idle.combined {
            lines.append("idle      \(Self.rpm(idle))" + times(result.idle, " "))
        }
        if let download = result.download { lines += direction("download", download) }
        if let upload = result.upload { lines += direction("upload", upload) }
        lines += notes
        return lines.joined(separator: "\n") + "\n"
    }

    private var transport: String {
        let tls = result.tlsVersion.map { $0 == 0x0304 ? "TLS 1.3" : $0 == 0x0303 ? "TLS 1.2" : "TLS" }
        return [result.protocolName ?? "HTTP", tls ?? "no TLS"].joined(separator: ", ")
    }

    private func direction(_ name: String, _ found: QualityResult.Direction) -> [String] {
        let padded = name + String(repeating: " ", count: max(1, 10 - name.utf8.count))
        guard found.isLoaded else {
            let stood =
                found.bitsPerSecond > 0
                ? "stood still in the end, after \(Self.rate(found.bitsPerSecond))" : "nothing was seen to be carried"
            return [
                style.paint(padded + stood + ": responsiveness under load is unknown", .bold),
                "          \(Quantity.count(found.connections, "connection")), \(Quantity.fixed(found.seconds, 1)) s",
            ]
        }
        var head =
            padded + "\(Self.rate(found.bitsPerSecond)) (\(found.capacityConfidence.rawValue) confidence), "
        if let combined = found.responsiveness.combined {
            head +=
                "\(Self.rpm(combined)), \(Responsiveness.Rating(combined).rawValue) "
                + "(\(found.responsivenessConfidence.rawValue) confidence)"
        } else {
            head += "responsiveness unknown: no probe came back"
        }
        var lines = [style.paint(head, .bold)]
        let summary = found.responsiveness
        if let foreign = summary.foreign {
            lines.append(
                "          new connections     \(Self.rpm(foreign))" + times(summary, " ")
                    + ", \(Quantity.count(summary.foreignProbes, "probe"))")
        }
        if let loaded = summary.loaded, let http = summary.loadedHTTP {
            lines.append(
                summary.isLoadedUnanswered
                    ? "          loaded connections  at most \(Self.rpm(loaded)): no answer within "
                        + Quantity.duration(milliseconds: http)
                    : "          loaded connections  \(Self.rpm(loaded)): HTTP \(Quantity.milliseconds(http)) ms, "
                        + Quantity.count(summary.loadedProbes, "probe"))
        }
        lines.append(
            "          \(Quantity.count(found.connections, "connection")), "
                + "\(Quantity.fixed(found.seconds, 1)) s")
        return lines
    }

    private func times(_ summary: Responsiveness, _ space: String) -> String {
        let parts = [("TCP", summary.tcp), ("TLS", summary.tls), ("HTTP", summary.http)]
            .compactMap { name, value in value.map { "\(name) \(Quantity.milliseconds($0)) ms" } }
        return parts.isEmpty ? "" : ":\(space)" + parts.joined(separator: ", ")
    }

    private var notes: [String] {
        var notes: [String] = result.skipped.map { "No time was left to measure the \($0.rawValue)." }
        if result.tlsVersion == nil {
            notes.append(
                "Without TLS there is no handshake of it in the figures: they compare with others without TLS only.")
        }
        if !result.isMultiplexed {
            notes.append(
                "Over \(result.protocolName ?? "this protocol") nothing can be asked on a connection that is loaded: "
                    + "the figures are of new connections only.")
        }
        #if canImport(Darwin)
        if let endpoint = result.configuration.endpoint, endpoint != result.configuration.small.host() {
            notes.append(
                "The server names \(PrintableText(endpoint)) as the one to test; "
                    + "\(PrintableText(result.configuration.small.host() ?? "its URLs' host")) was tested.")
        }
        #else
        if let endpoint = result.configuration.endpoint, endpoint != result.configuration.small.host() {
            notes.append("As the server asks, \(PrintableText(endpoint)) was connected to in place of the URLs' host.")
        }
        #endif
        return notes
    }

    /// `0.78 Mbit/s`.
    static func rate(_ bitsPerSecond: Double) -> String {
        let mega = bitsPerSecond / 1e6
        return mega < 1000
            ? "\(Quantity.fixed(mega, mega < 10 ? 2 : 0)) Mbit/s" : "\(Quantity.fixed(mega / 1000, 2)) Gbit/s"
    }

    static func rpm(_ perMinute: Double) -> String { "\(Quantity.fixed(perMinute, 0)) RPM" }
}
