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
    init(exporter: HARExporter, _ survey: HARSurvey, pageStarts: [String: Date]) {
        self.exporter = exporter
        isZeroAbsent = !(exporter == .firefox ? survey.hasUnsetConnectInFirefox : survey.hasUnsetConnect)
        // Playwright counts TLS twice in `time`: a redirect's follower starts before `time` has passed.
        if exporter != .playwright {
            isTLSAfterConnect =
                survey.tlsInside == survey.tlsAfter ? exporter == .mitmproxy : survey.tlsAfter > survey.tlsInside
        }
        // Fiddler writes the ports of both of its sides, which change independently.
        if let first = survey.firstConnection, !survey.hasClientPorts {
            areConnectionsTold =
                !survey.arePorts && (first != survey.lastOtherConnection || exporter.writesConnectionIDs)
            isConnectionRemotePort = survey.arePorts && exporter == .firefox
        }
        if exporter == .webPageTest {
            isStartOfSending = survey.marks.contains { mark in
                guard let page = pageStarts[mark.pageID] else { return false }
                return abs(mark.start.timeIntervalSince(page) - mark.load / 1000) < 0.002
            }
        }
    }
}

/// What the entries of a file tell of its habits, gathered one entry at a time.
struct HARSurvey: Sendable {
    /// Whether a `connect` of -1 was seen in an entry with a response.
    private(set) var hasUnsetConnect = false
    /// The same, if Firefox wrote the file.
    private(set) var hasUnsetConnectInFirefox = false
    /// How many entries say that TLS is inside `connect`, because the timings then add up to `time`, and how many deny it.
    private(set) var tlsInside = 0
    private(set) var tlsAfter = 0
    private(set) var firstConnection: String?
    /// A value of `connection` that is not the first one, or the first one where all are equal.
    private(set) var lastOtherConnection: String?
    /// Whether every `connection` is the port of the request's URL.
    private(set) var arePorts = true
    /// Whether a `connection` names ports, as Fiddler's do.
    private(set) var hasClientPorts = false
    /// WebPageTest: pages, and when in them entries started.
    private(set) var marks: [(pageID: String, start: Date, load: Double)] = []

    mutating func add(_ entry: HAREntry) {
        if entry.timings.connect == -1 {
            if let status = entry.status, 100...999 ~= status {
                hasUnsetConnect = true
                hasUnsetConnectInFirefox = true
            } else if !hasUnsetConnect || !hasUnsetConnectInFirefox {
                var settled = entry
                settled.settle(as: .other)
                if settled.response != nil { hasUnsetConnect = true }
                settled = entry
                settled.settle(as: .firefox)
                if settled.response != nil { hasUnsetConnectInFirefox = true }
            }
        }
        if let elapsed = entry.elapsed, entry.timings.tls > 0, (entry.timings.connect ?? 0) > 0 {
            let sum = entry.timings.sum
            if abs(elapsed - sum) <= abs(elapsed - sum - entry.timings.tls) { tlsInside += 1 } else { tlsAfter += 1 }
        }
        if let id = entry.connection {
            if firstConnection == nil {
                firstConnection = id
                lastOtherConnection = id
            } else if id != firstConnection {
                lastOtherConnection = id
            }
            if id.utf8.starts(with: "ClientPort:".utf8) { hasClientPorts = true }
            if arePorts, id != entry.request.url.port.map(String.init) { arePorts = false }
        }
        if let marks = entry.testMarks, marks.load > marks.all {
            self.marks.append((entry.pageID, entry.start, marks.load))
        }
    }
}
