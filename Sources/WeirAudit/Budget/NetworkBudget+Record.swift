public import Foundation

extension NetworkBudget {
    /// A budget to which measured runs keep, with room for what may vary.
    ///
    /// | limit | room |
    /// |---|---|
    /// | requests, round trips | the slack, rounded down: with 10 % none below 10 |
    /// | wire bytes, decoded bytes | the slack, rounded up to a whole byte |
    /// | wall time | `wallSlack`; no limit without it, since times differ from machine to machine |
    /// | duplicates, redirects, failures | none |
    /// | connections, queue, parallelism | no limit: they depend on timing |
    ///
    /// Of several reports the largest measure counts. What any of them did not record gets no limit.
    ///
    /// - Parameters:
    ///   - reports: The measured runs; at least one with a request in it.
    ///   - slack: The room, as a part of what was measured: 0.1 is 10 %.
    ///   - wallSlack: The room of the wall time, or nil for no limit on it.
    public init?(recording reports: [NetworkAudit.Report], slack: Double, wallSlack: Double? = nil) {
        guard reports.contains(where: { $0.requests > 0 }) else { return nil }
        func most(_ measure: (NetworkAudit.Report) -> Int?) -> Int? {
            let values = reports.map(measure)
            return values.contains(nil) ? nil : values.compactMap { $0 }.max()
        }
        func count(_ measure: (NetworkAudit.Report) -> Int?) -> Int? {
            most(measure).map { Self.whole((Double($0) * (1 + slack) + 1e-9).rounded(.down)) }
        }
        func size(_ measure: (NetworkAudit.Report) -> Int?) -> Int? {
            most(measure).map { Self.whole((Double($0) * (1 + slack) - 1e-9).rounded(.up)) }
        }
        let wall = (reports.map(\.wall).max() ?? 0) * (1 + (wallSlack ?? 0))
        self.init(
            maxRequests: count(\.requests), maxRoundTrips: count(\.wireRounds), maxWireBytes: size(\.wireBytes),
            maxDecodedBytes: size(\.decodedBytes), maxDuplicates: most(\.duplicates.count),
            maxWall: wallSlack == nil ? nil : .milliseconds(Int64(Self.whole(wall.rounded(.up)))),
            maxRedirects: most(\.redirects), maxFailures: most(\.failures))
    }

    private static func whole(_ value: Double) -> Int { Int(exactly: min(max(0, value), 1e15)) ?? 0 }

    /// The budget as a file: JSON, its keys in order, ended by a newline.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
