import WeirAudit

/// What a rule is about, for people who meet its id in a list: a title, what it finds, and why that matters.
struct RuleHelp: Sendable {
    var title: String
    var text: String

    /// Of a rule.
    init(_ rule: Finding.Rule) {
        switch rule {
        case .waterfall:
            self.init(
                "Requests one after another",
                "Requests ran one after another although no value of an earlier response is in a later request. Started "
                    + "together they take as long as the slowest of them.")
        case .nPlusOne:
            self.init(
                "One request for each element",
                "A list was followed by a request for each of its elements. One request for all of them costs one round "
                    + "trip, however long the list is.")
        case .duplicate:
            self.init(
                "The same resource fetched again",
                "A resource was fetched more than once with the same method, URL and body. The first response could have "
                    + "been shared or kept.")
        case .nearDuplicate:
            self.init(
                "The same resource under several URLs",
                "URLs that differ in the order of the query or in a cache-busting parameter name one resource, and no "
                    + "cache can know it.")
        case .queueing:
            self.init(
                "Waiting for a connection",
                "Requests waited because all connections to their host were in use. Fewer and larger requests, or a "
                    + "protocol that carries many on one connection, end that.")
        case .http1:
            self.init(
                "Many requests over HTTP/1.1",
                "Several requests at once went over HTTP/1.1 connections of their own, where one HTTP/2 connection would "
                    + "carry all of them after one handshake.")
        case .uncompressed:
            self.init(
                "Text sent uncompressed",
                "A text was sent without content coding although the client had offered one. Compressed it is often a "
                    + "fifth of its size.")
        case .polling:
            self.init(
                "Polling",
                "The same request was made at a steady cadence. Validators, pushed events, or stopping while nothing is "
                    + "visible save most of it.")
        case .cacheable:
            self.init(
                "Cacheable but fetched again",
                "A response was fetched again in full that could have been kept for a while or validated with an ETag.")
        case .retryStorm:
            self.init(
                "Retries without a pause",
                "Failed attempts were repeated at once. Pauses that grow and vary let a server recover.")
        case .redirects:
            self.init(
                "Redirects before the answer",
                "A request was redirected before it was answered; each hop is a round trip, and a handshake where the host "
                    + "changes.")
        case .coldConnections:
            self.init(
                "Connections not reused",
                "More connections were opened than requests were under way at once, so handshakes were paid for again.")
        case .slowDNS:
            self.init("Slow name lookup", "A name lookup took long; fewer hosts or an earlier connection hide it.")
        case .slowTLS:
            self.init(
                "Slow TLS handshake",
                "A TLS handshake took more round trips than TLS 1.3 or a resumed session needs.")
        case .serverBound:
            self.init(
                "Slow server",
                "The server took long to begin its answer, with the network's round trip taken off.")
        case .largePayload:
            self.init(
                "Large response",
                "A response was large on the wire; fewer fields, pages, smaller images or compression make it less.")
        case .largeHeaders:
            self.init(
                "Large header fields",
                "Header fields, most often cookies, were large; they are sent with every request.")
        case .sniffedStream:
            self.init(
                "Stream of a sniffed type",
                "A stream had a type whose first bytes clients hold back to guess what it is; a precise Content-Type ends "
                    + "that.")
        case .failure:
            self.init(
                "Failing requests",
                "A request failed while others waited for it, or ended with a status of 400 or above.")
        }
    }

    private init(_ title: String, _ text: String) {
        self.title = title
        self.text = text
    }
}

extension Finding.Severity {
    /// The level in SARIF.
    var sarifLevel: String {
        switch self {
        case .info: "note"
        case .warning: "warning"
        case .critical: "error"
        }
    }
}
