import Foundation
import Synchronization
import WeirFormats
import WeirModel
import WeirReports
import WeirServer

/// A recording as a server: the same answers after the times that the server took.
///
/// The host of the first entry is served at the root. Other hosts are reached by the Host field, by an absolute request
/// target (as one sends it to a proxy), or below `/@HOST/`. Redirects stay on the server, cookies lose what ties them to the
/// recorded host.
final class RecordedFixtures: Fixtures {
    private struct State {
        var stamp: FileStamp?
        var archive: RecordedArchive
        var counts: [RecordedArchive.Target: Int] = [:]
    }

    private let path: String
    private let complain: @Sendable (String) -> Void
    private let state: Lock<State>

    /// Reads an archive.
    init(path: String, complain: @escaping @Sendable (String) -> Void) throws(CommandFailure) {
        self.path = path
        self.complain = complain
        let stamp = FileStamp(path: path)
        let archive = try Self.read(path)
        state = Lock(State(stamp: stamp, archive: archive))
    }

    private static func read(_ path: String) throws(CommandFailure) -> RecordedArchive {
        let shown = PrintableText(path)
        let data: Data
        do {
            data = try FileInput.read(path: path, limit: 2 << 30)
        } catch {
            throw CommandFailure("cannot read \(shown): \(error)", status: .badInput)
        }
        let archive: RecordedArchive?
        do throws(JSONError) {
            archive = try RecordedArchive(Array(data))
        } catch {
            throw CommandFailure("\(shown) is no HTTP archive: \(error).", status: .badInput)
        }
        guard let archive else {
            throw CommandFailure("\(shown) is no HTTP archive: it has no log.entries.", status: .badInput)
        }
        guard archive.entryCount > archive.skippedCount else {
            throw CommandFailure("\(shown) has no entry that can be served.", status: .badInput)
        }
        return archive
    }

    var summary: String {
        let archive = state.withLock { $0.archive }
        var text =
            "\(archive.entryCount - archive.skippedCount) exchanges of \(path), recorded from \(archive.mainHost)"
        let others = archive.hosts.subtracting([archive.mainHost]).sorted()
        if !others.isEmpty {
            text +=
                " and, below /@HOST/, " + others.prefix(5).joined(separator: ", ") + (others.count > 5 ? ", ..." : "")
        }
        if archive.withoutBody > 0 {
            text += "; \(archive.withoutBody) bodies are not in it and are served as filler of the same length"
        }
        if archive.roundTrips.isEmpty { text += "; its round trip is unknown and taken as none" }
        return text
    }

    private func reload() {
        let stamp = FileStamp(path: path)
        let isChanged = state.withLock { state in
            defer { state.stamp = stamp }
            return state.stamp != stamp
        }
        guard isChanged else { return }
        do throws(CommandFailure) {
            let archive = try Self.read(path)
            state.withLock { state in
                state.archive = archive
                state.counts = [:]
            }
            complain("weir: \(PrintableText(path)) has changed: \(archive.entryCount) entries\n")
        } catch {
            complain("weir: \(error); what is served stays as it was\n")
        }
    }

    @concurrent func answer(_ request: LocalServer.Request) async -> LocalServer.Response {
        reload()
        let (answer, wanted, archive) = state.withLock {
            state -> (RecordedArchive.Answer?, RecordedArchive.Target, RecordedArchive) in
            let wanted = Self.target(of: request, state.archive)
            guard let found = Self.find(wanted, in: state.archive), let answers = state.archive.answers[found] else {
                return (nil, wanted, state.archive)
            }
            let count = state.counts[found, default: 0]
            state.counts[found] = count + 1
            return (answers[min(count, answers.count - 1)], wanted, state.archive)
        }
        guard let answer else { return Self.missing(wanted, archive, path) }
        let delay = Duration.microseconds(Int64(answer.serverTime * 1000))
        guard answer.status > 0 else { return .unframed([.close], delay: delay) }
        let headers = answer.headers.map { ($0.0, Self.local($0.0, $0.1, archive)) }
        // These have no body, whatever was recorded.
        let hasBody = ![204, 205, 304].contains(answer.status)
        var body: [LocalServer.Response.Piece] = []
        if hasBody {
            switch answer.body {
            case .bytes(let bytes): body = [.bytes(bytes)]
            case .filler(let count): body = [.bytes(RouteFixtures.filler(count))]
            }
        }
        return LocalServer.Response(status: answer.status, headers: headers, body: body, delay: delay)
    }

    /// What a request asks for, in the recording's terms.
    static func target(of request: LocalServer.Request, _ archive: RecordedArchive) -> RecordedArchive.Target {
        let method = request.method == "HEAD" ? "GET" : request.method
        if let (host, path, query) = RecordedArchive.parts(of: request.target) {
            return .init(method: method, host: host, path: path, query: query)
        }
        var (path, query) = RecordedArchive.split(target: Array(request.target.utf8)[...])
        var host = request.header("Host")?.lowercased() ?? ""
        if path.hasPrefix("/@") {
            let rest = path.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            host = rest[..<end].lowercased()
            path = end == rest.endIndex ? "/" : String(rest[end...])
        }
        if !archive.hosts.contains(host), let colon = host.lastIndex(of: ":") {
            // The port is this server's.
            let bare = String(host[..<colon])
            if archive.hosts.contains(bare) { host = bare }
        }
        if !archive.hosts.contains(host) {
            // Whoever names this machine means the page.
            let isLocal = ["127.0.0.1", "localhost", "[::1]", ""].contains { host == $0 || host.hasPrefix($0 + ":") }
            if isLocal { host = archive.mainHost }
        }
        return .init(method: method, host: host, path: path, query: query)
    }

    /// The recorded target: the same one, else that of the same path whose query has most in common.
    static func find(_ wanted: RecordedArchive.Target, in archive: RecordedArchive) -> RecordedArchive.Target? {
        if archive.answers[wanted] != nil { return wanted }
        let others = archive.answers.keys.filter {
            $0.method == wanted.method && $0.host == wanted.host && $0.path == wanted.path
        }
        func rank(_ other: RecordedArchive.Target) -> (Int, Int, String) {
            let common = Set(other.query).intersection(wanted.query).count
            let names = Set(other.query.map(name)).intersection(wanted.query.map(name)).count
            return (-common, -names, other.query.joined(separator: "&"))
        }
        func name(_ part: String) -> String { String(part.prefix { $0 != "=" }) }
        return others.min { rank($0) < rank($1) }
    }

    /// A field's value as it holds on this server.
    static func local(_ name: String, _ value: String, _ archive: RecordedArchive) -> String {
        switch name.lowercased() {
        case "location", "content-location":
            guard let (host, _, _) = RecordedArchive.parts(of: value), archive.hosts.contains(host) else {
                return value
            }
            let start = value.range(of: "://").map { $0.upperBound } ?? value.startIndex
            let slash = value[start...].firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? value.endIndex
            let rest = value[slash...].hasPrefix("/") ? String(value[slash...]) : "/" + value[slash...]
            return host == archive.mainHost ? rest : "/@\(host)\(rest)"
        case "set-cookie": return LocalCookie.value(value)
        default: return value
        }
    }

    private static func missing(
        _ wanted: RecordedArchive.Target, _ archive: RecordedArchive, _ file: String
    ) -> LocalServer.Response {
        let shown = "\(wanted.method) \(wanted.host)\(wanted.path)"
        guard archive.hosts.contains(wanted.host) else {
            return .problem(
                404,
                "The recording has no host \(wanted.host); it has "
                    + ParsedArguments.list(Array(archive.hosts.sorted().prefix(20))) + ".")
        }
        let sameHost = archive.answers.keys.filter { $0.host == wanted.host }
        let methods = Set(sameHost.filter { $0.path == wanted.path }.map(\.method)).sorted()
        if !methods.isEmpty {
            return .problem(
                404, "The recording has no \(shown), but that path with \(ParsedArguments.list(methods)).")
        }
        let near = sameHost.map { (path: $0.path, distance: distance($0.path, wanted.path)) }
            .sorted { ($0.distance, $0.path) < ($1.distance, $1.path) }
        var paths: [String] = []
        for (path, _) in near where !paths.contains(path) && paths.count < 3 { paths.append(path) }
        return .problem(404, "The recording has no \(shown). Near it are \(ParsedArguments.list(paths)).")
    }

    /// How far two paths are apart; what they begin with in common makes them near.
    private static func distance(_ a: String, _ b: String) -> Int {
        let common = zip(a.utf8, b.utf8).prefix { $0 == $1 }.count
        return EditDistance.between(String(a.prefix(100)), String(b.prefix(100))) - common
    }
}

/// A cookie of another server, so that a client sends it back to this one.
enum LocalCookie {
    /// The value of Set-Cookie without Domain, and without what needs TLS.
    static func value(_ value: String) -> String {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        let kept = parts.enumerated().filter { index, part in
            let name = part.prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces).lowercased()
            let isNone = name == "samesite" && part.lowercased().hasSuffix("none")
            return index == 0 || !(["domain", "secure", "partitioned"].contains(name) || isNone)
        }
        return kept.map { String($0.element) }.joined(separator: ";")
    }
}
