import Foundation
import WeirModel

/// How a whole file is to be taken: what one entry cannot tell by itself.
struct HARTraits: Sendable {
    var exporter: HARExporter
    /// Whether `connect` ends where `ssl` begins, against the format, in which it contains it.
    var isTLSAfterConnect = false
    /// Whether a `dns` or `connect` of 0 means that it did not happen: the file has no -1 for that.
    var isZeroAbsent = false
    /// Whether `connection` tells connections apart.
    var areConnectionsTold = false
    /// Whether `connection` is the remote port (Firefox).
    var isConnectionRemotePort = false
    /// WebPageTest: whether `startedDateTime` is when the request was sent, rather than when the fetch began.
    var isStartOfSending = false

    /// The resolution of times in HAR files, in seconds.
    static let resolution: TimeInterval = 0.001

    /// The smallest difference of the file's times that means anything, in seconds.
    var clockResolution: TimeInterval { exporter == .pulse ? 1 : Self.resolution }

    /// Finds the habits of a file.
    ///
    /// - Parameter pageStarts: When each page started, where that is known.
    init(exporter: HARExporter, entries: [HAREntry], pageStarts: [String: Date]) {
        self.exporter = exporter
        isZeroAbsent = !entries.contains { $0.timings.connect == -1 && $0.response != nil }
        isTLSAfterConnect = Self.isTLSAfterConnect(exporter, entries)
        readConnections(entries)
        if exporter == .webPageTest {
            isStartOfSending = entries.contains { entry in
                guard let marks = entry.testMarks, marks.load > marks.all, let page = pageStarts[entry.pageID] else {
                    return false
                }
                return abs(entry.start.timeIntervalSince(page) - marks.load / 1000) < 0.002
            }
        }
    }

    /// Which place of TLS makes the timings add up to `time`, by majority.
    private static func isTLSAfterConnect(_ exporter: HARExporter, _ entries: [HAREntry]) -> Bool {
        // Playwright counts TLS twice in `time`: a redirect's follower starts before `time` has passed.
        guard exporter != .playwright else { return false }
        var inside = 0
        var after = 0
        for entry in entries {
            guard let elapsed = entry.elapsed, entry.timings.tls > 0, (entry.timings.connect ?? 0) > 0 else { continue }
            let sum = entry.timings.sum
            if abs(elapsed - sum) <= abs(elapsed - sum - entry.timings.tls) { inside += 1 } else { after += 1 }
        }
        return inside == after ? exporter == .mitmproxy : after > inside
    }

    private mutating func readConnections(_ entries: [HAREntry]) {
        var ids = Set<String>()
        var arePorts = true
        for entry in entries {
            guard let id = entry.connection else { continue }
            ids.insert(id)
            // Fiddler writes the ports of both of its sides, which change independently.
            if id.hasPrefix("ClientPort:") { return }
            if id != entry.request.url.port.map(String.init) { arePorts = false }
        }
        areConnectionsTold = !arePorts && (ids.count > 1 || (ids.count == 1 && exporter.writesConnectionIDs))
        isConnectionRemotePort = !ids.isEmpty && arePorts && exporter == .firefox
    }
}
