import Foundation
import WeirServer

/// One route of a route file: which requests it takes, and what it answers, in turn.
struct Route: Sendable {
    /// The method; nil for any.
    var method: String?
    var pattern: RoutePattern
    /// What the query must hold.
    var query: [String: String] = [:]
    var answers: [Answer] = []
    /// What follows the last answer.
    var afterLast = AfterLast.last

    /// What follows the last answer of a sequence.
    enum AfterLast: String, CaseIterable, Sendable {
        /// The last one again.
        case last
        /// The first one, and so on.
        case `repeat`
        /// 404, as if there were no route.
        case none
    }

    /// What is answered.
    struct Answer: Sendable {
        var status = 200
        var headers: [(String, String)] = []
        /// Milliseconds from the request's last byte to the answer's first.
        var delay = 0.0
        var isChunked = false
        var body: [Part] = []
        /// What is done in place of an answer.
        var fault: Fault?
        /// Whether names of the path are put into the text.
        var isJSON = false
        /// A directory whose files are served.
        var directory: String?
    }

    /// A part of a body.
    enum Part: Sendable {
        case text(String)
        case bytes([UInt8])
        case file(String)
        case filler(Int)
        case pause(Double)
        case raw(String)
        case fault(Fault)
    }

    /// How a connection fails.
    enum Fault: String, CaseIterable, Sendable {
        case reset
        case close
        /// Bytes that are no answer, and a close.
        case garbage
    }

    /// Whether a request is this route's; what the path's names stand for if it is.
    func match(_ request: LocalServer.Request) -> [String: String]? {
        if let method, request.method != method, !(method == "GET" && request.method == "HEAD") { return nil }
        return matchPath(request)
    }

    /// The same whatever the method is.
    func matchPath(_ request: LocalServer.Request) -> [String: String]? {
        guard let names = pattern.match(FileFixtures.path(ofTarget: request.target)) else { return nil }
        let items = request.query
        for (name, value) in query where items[name] != value { return nil }
        return names
    }
}

/// A path with names in it: `/books/:id`, and `*` at its end for all below.
struct RoutePattern: Sendable, Hashable {
    private enum Segment: Sendable, Hashable {
        case literal(String)
        case name(String)
        case rest
    }

    let text: String
    private let segments: [Segment]

    /// Makes a pattern; nil for one that does not begin with a slash, has a nameless `:`, a name twice, or a `*` before its end.
    init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [Segment] = []
        var names: Set<String> = []
        let parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if part == "*" {
                guard index == parts.count - 1 else { return nil }
                segments.append(.rest)
            } else if part.hasPrefix(":") {
                let name = String(part.dropFirst())
                guard !name.isEmpty, names.insert(name).inserted else { return nil }
                segments.append(.name(name))
            } else {
                guard !part.contains("*"), !part.contains("?"), !part.contains("#") else { return nil }
                segments.append(.literal(String(part)))
            }
        }
        self.text = text
        self.segments = segments
    }

    /// The path that all matches begin with, without the last slash, if the pattern ends in `*`.
    var prefix: String? {
        guard segments.last == .rest, !segments.contains(where: { if case .name = $0 { true } else { false } }) else {
            return nil
        }
        return String(text.dropLast(2))
    }

    /// What the names stand for, if the path fits; both are compared without escapes.
    func match(_ path: [UInt8]) -> [String: String]? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var names: [String: String] = [:]
        let parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { part in
                let text = String(decoding: part, as: UTF8.self)
                return text.removingPercentEncoding ?? text
            }
        for (index, segment) in segments.enumerated() {
            switch segment {
            case .rest: return names
            case .literal(let text): guard index < parts.count, parts[index] == text else { return nil }
            case .name(let name):
                guard index < parts.count, !parts[index].isEmpty else { return nil }
                names[name] = parts[index]
            }
        }
        return parts.count == segments.count ? names : nil
    }
}
