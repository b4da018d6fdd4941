import Foundation
import WeirFormats

/// What a server says about its test: the document at `/.well-known/nq` (draft-ietf-ippm-responsiveness, section "Well-Known Uniform
/// Resource Identifier").
struct QualityConfiguration: Sendable, Hashable {
    /// Where the document is by convention.
    static let path = "/.well-known/nq"

    /// An object of one byte.
    var small: URL
    /// An object of at least 8 GB.
    var large: URL
    /// What takes bodies of any size and throws them away.
    var upload: URL
    /// A host whose addresses should be used in place of those of the URLs.
    var endpoint: String?

    /// Why a document is none.
    struct Problem: Error, CustomStringConvertible {
        var line: Int
        var column: Int
        var reason: String

        var description: String { "line \(line), column \(column): \(reason)" }
    }

    /// The names of the URLs: the draft's, and those of earlier drafts, which servers still give.
    private static let names: [(name: StaticString, earlier: StaticString)] = [
        ("small_download_url", "small_https_download_url"), ("large_download_url", "large_https_download_url"),
        ("upload_url", "https_upload_url"),
    ]

    /// Reads a document.
    ///
    /// - Throws: ``Problem`` with the place, as the draft wants a document to be ignored that has another version, lacks a URL, names
    ///   one twice, or has URLs of several hosts.
    init(parsing bytes: [UInt8]) throws(Problem) {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: bytes, depthLimit: 64)
        } catch {
            throw Problem(line: error.line, column: error.column, reason: "This is not JSON: \(error.detail).")
        }
        func problem(_ value: JSONValue, _ reason: String) -> Problem {
            let place = bytes.withUnsafeBytes { JSONError.lineAndColumn(of: value.offset, in: $0) }
            return Problem(line: place.line, column: place.column, reason: reason)
        }
        func only(_ name: String, in object: JSONValue) throws(Problem) -> JSONValue? {
            var found: JSONValue?
            for (key, value) in object.members where key.string == name {
                guard found == nil else { throw problem(key, "\"\(name)\" is given twice.") }
                found = value
            }
            return found
        }
        let root = document.root
        guard root.isObject else {
            throw problem(root, "A configuration document is an object, and this is \(root.kindName).")
        }
        guard let version = try only("version", in: root) else { throw problem(root, "There is no \"version\".") }
        guard version.number == 1 else {
            throw problem(version, "\"version\" is not 1, the only one that this program understands.")
        }
        guard let urls = try only("urls", in: root), urls.isObject else {
            throw problem(root, "There is no object \"urls\".")
        }
        var found: [URL] = []
        for (name, earlier) in Self.names {
            let (name, earlier) = ("\(name)", "\(earlier)")
            let later = try only(name, in: urls)
            let early = try only(earlier, in: urls)
            guard let value = later ?? early else {
                throw problem(urls, "There is no \"\(name)\".")
            }
            guard let text = value.string, let url = Self.url(text) else {
                throw problem(value, "\"\(name)\" must be an http or https URL with a host.")
            }
            guard found.allSatisfy({ $0.host() == url.host() }) else {
                throw problem(value, "The URLs are of different hosts, so that they cannot share a connection.")
            }
            found.append(url)
        }
        (small, large, upload) = (found[0], found[1], found[2])
        guard let endpoint = try only("test_endpoint", in: root) else { return }
        guard let host = endpoint.string, Self.isHost(host) else {
            throw problem(endpoint, "\"test_endpoint\" must be the name or the address of a host.")
        }
        self.endpoint = host
    }

    /// Whether a text can be a host's name or address: nothing in it is of a URL's or a list's syntax.
    private static func isHost(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || [0x2D, 0x2E, 0x5F, 0x3A].contains($0)
            }
            && [0, 2, 3, 4, 5, 6, 7].contains(text.utf8.count { $0 == 0x3A })
    }

    private static func url(_ text: String) -> URL? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host(),
            !host.isEmpty
        else { return nil }
        return url
    }

    /// The document for a server of that origin: `https://127.0.0.1:8443`.
    ///
    /// It has the URLs under the names of earlier drafts, too.
    static func document(origin: String, paths: (small: String, large: String, upload: String)) -> String {
        let values = [paths.small, paths.large, paths.upload]
        let lines = zip(names, values).flatMap { names, path in
            ["\(names.name)", "\(names.earlier)"].map { "    \"\($0)\": \"\(origin)\(path)\"" }
        }
        return "{\n  \"version\": 1,\n  \"urls\": {\n\(lines.joined(separator: ",\n"))\n  }\n}\n"
    }
}
