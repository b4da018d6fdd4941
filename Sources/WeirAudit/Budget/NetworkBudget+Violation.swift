import Foundation
public import WeirModel

extension NetworkBudget {
    /// One limit that was broken, by how much, and by which requests.
    public struct Violation: Sendable, Hashable {
        /// What was limited.
        public enum Limit: String, Sendable, Hashable, CaseIterable, Codable {
            /// The number of requests.
            case requests
            /// The number of wire rounds.
            case roundTrips
            /// Body bytes as received.
            case wireBytes
            /// Body bytes after decoding.
            case decodedBytes
            /// Resources fetched more than once.
            case duplicates
            /// The time from the first start to the last end.
            case wall
            /// The longest queueing.
            case worstQueue
            /// Connections opened.
            case newConnections
            /// Redirects followed.
            case redirects
            /// Requests that failed.
            case failures
            /// The average number of requests in flight.
            case parallelism
            /// There was no request at all, or none of a host or a route that has limits of its own.
            case noRequests
            /// Requests that no unit of work could be found for.
            case unattributed
            /// Requests that were not done when the budget was judged.
            case openRequests
            /// A part of the unit whose mark was not set.
            case missingMark
            /// Requests that were left out until their allowance ended.
            case endedAllowance
        }

        /// What the limit is for.
        public enum Scope: Sendable, Hashable {
            /// The whole unit of work.
            case whole
            /// The requests to one host.
            case host(String)
            /// The requests to one route.
            case route(String)
            /// The requests whose responses are of one kind.
            case kind(ResourceKind)
            /// The requests to other sites than the first request's.
            case thirdParty
            /// The requests that start before a mark and after the one before it.
            case part(String)

            /// The words that follow a sentence, such as ` (host h)`.
            var suffix: String {
                switch self {
                case .whole: ""
                case .host(let host): " (host \(host))"
                case .route(let route): " (route \(route))"
                case .kind(let kind): " (kind \(kind.rawValue))"
                case .thirdParty: " (third parties)"
                case .part(let mark): " (until \(mark))"
                }
            }
        }

        /// What was limited.
        public let limit: Limit
        /// What the limit is for.
        public let scope: Scope
        /// What was measured, in the limit's unit (a count, bytes or milliseconds); nil when it was not recorded.
        public let measured: Double?
        /// What was allowed, in the same unit; nil for the violations that are no limit.
        public let allowed: Double?
        /// The ids of the records that did it, where they can be told.
        public let requests: [TaskRecord.ID]
        /// The requests that did it, for people: method and path with query, one each.
        public let requestLines: [String]
        /// What is wrong, without scope and requests: `9 requests > 4`.
        public let sentence: String
    }
}

extension NetworkBudget.Violation: CustomStringConvertible {
    /// What is wrong, such as `9 requests > 4`; with the host, route or kind where the limit is for one.
    public var description: String { sentence + scope.suffix }

    /// What is wrong, and the requests that did it below, one a line.
    public var details: String {
        ([description] + requestLines.map { "    " + $0 }).joined(separator: "\n")
    }
}

extension NetworkBudget.Violation {
    /// The same violation in the words of another report on the same records, such as one that is redacted.
    ///
    /// What was measured stays; what quotes the records is told anew, or left out.
    package func retold(over report: NetworkAudit.Report) -> Self {
        var lines: [TaskRecord.ID: String] = [:]
        for record in report.records + report.unattributed { lines[record.id] = Self.line(record) }
        for task in report.openTasks { lines[task.id] = Self.line(task.method, task.url) }
        let isQuoting = limit == .duplicates
        let count = Int(measured ?? 0)
        var counts = "\(count) \(count == 1 ? "duplicate" : "duplicates") > \(Int(allowed ?? 0))"
        // As many of the other report's are the same ones; if they are not as many, pseudonyms have made some alike.
        if isQuoting, report.duplicates.count == count {
            counts += ": " + report.duplicates.prefix(3).joined(separator: ", ") + (count > 3 ? ", ..." : "")
        }
        return Self(
            limit: limit, scope: scope, measured: measured, allowed: allowed, requests: requests,
            requestLines: requests.compactMap { lines[$0] }, sentence: isQuoting ? counts : sentence)
    }

    /// A request for people: method and path with query.
    static func line(_ record: TaskRecord) -> String {
        guard let request = record.transactions.first?.request else { return "(no request)" }
        return line(request.method, request.url)
    }

    private static func line(_ method: String, _ url: RequestURL) -> String {
        "\(method) \(url.pathAndQuery.isEmpty ? "/" : url.pathAndQuery)"
    }
}
