import WeirModel
import WeirReports

/// Which requests of a recording are looked at.
struct RequestFilter: Sendable {
    /// Hosts to keep, with those below them; empty keeps all.
    ///
    /// One with a port must match exactly.
    var hosts: [String] = []
    /// URLs to leave out.
    var exclusions: [URLPattern] = []
    /// Whether only the unit's own site is kept.
    var isFirstParty = false

    /// The records that are kept.
    func apply(to records: [TaskRecord]) -> [TaskRecord] {
        if isEmpty { return records }
        let site = isFirstParty ? Self.site(of: records) : nil
        return records.filter { record in
            guard let url = record.transactions.first?.request.url else { return hosts.isEmpty && site == nil }
            if !hosts.isEmpty, !hosts.contains(where: { Self.host(of: url, matches: $0) }) { return false }
            if let site, Site.name(of: url.host) != site { return false }
            return !exclusions.contains { $0.matches(url.absoluteString) }
        }
    }

    /// Why what was kept is not what was asked for; nil when it is.
    var problem: CommandFailure? {
        exclusions.first(where: \.isOverdue).map { pattern in
            CommandFailure(
                "--exclude \(PrintableText(pattern.text)): Looking for it took more than \(URLPattern.searchLimit / .seconds(1)) s. "
                    + "Write an expression that cannot be fitted in many ways, such as without (a+)+.",
                status: .badInput)
        }
    }

    /// Whether everything is kept.
    var isEmpty: Bool { hosts.isEmpty && exclusions.isEmpty && !isFirstParty }

    /// The site of the first request that used the network, after its redirects.
    static func site(of records: [TaskRecord]) -> String? {
        let first = records.filter { $0.usesNetwork && $0.outcome?.request.url.isNetwork == true }
            .min { $0.start < $1.start }
        return first?.outcome.map { Site.name(of: $0.request.url.host) }
    }

    private static func host(of url: RequestURL, matches host: String) -> Bool {
        let isWithPort = host.utf8.last != UInt8(ascii: "]") && host.utf8.contains(UInt8(ascii: ":"))
        return isWithPort ? url.hostAndPort == host.lowercased() : Site.host(url.host, isWithin: host)
    }
}
