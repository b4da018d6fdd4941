/// The domain that one owner has, as nearly as a name alone can tell.
///
/// The last two labels of a host, or the last three when those two are the like of `co.uk`: a country's two letters below
/// a label that countries use for a kind of organisation. The list of public suffixes is not consulted, so owners under
/// `github.io` and the like count as one. An address or a single label stands for itself.
package enum Site {
    private static let kinds: Set<String> = [
        "ac", "co", "com", "edu", "gob", "gov", "gouv", "go", "gen", "id", "ltd", "mil", "ne", "net", "nom", "or",
        "org",
        "plc", "sch",
    ]

    /// The site of a host, in lower case.
    package static func name(of host: some StringProtocol) -> String {
        var host = host.lowercased()
        while host.utf8.last == UInt8(ascii: ".") { host.removeLast() }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 2, !isAddress(host) else { return host }
        let isKind = labels[labels.count - 1].utf8.count == 2 && kinds.contains(String(labels[labels.count - 2]))
        return labels.suffix(isKind ? 3 : 2).joined(separator: ".")
    }

    /// Whether a host is a domain or one below it.
    package static func host(_ host: some StringProtocol, isWithin domain: String) -> Bool {
        let host = host.lowercased()
        let domain = domain.lowercased()
        guard host.utf8.count > domain.utf8.count else { return host == domain }
        return !domain.isEmpty && host.utf8.suffix(domain.utf8.count + 1).elementsEqual(".\(domain)".utf8)
    }

    private static func isAddress(_ host: String) -> Bool {
        host.utf8.first == UInt8(ascii: "[") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    }
}
