import Foundation
import WeirEvidence
import WeirModel

@testable import WeirFormats

/// Looks for what a recording held of anybody in what was made of it.
enum SecretScan {
    /// The secrets and identifiers of the original that are still there.
    static func leaks(from original: Data, into redacted: Data) throws -> Set<String> {
        var secrets: Set<[UInt8]> = []
        var allowed: Set<[UInt8]> = []
        let document = try JSONDocument(parsing: [UInt8](original))
        var notes = NoteCollector()
        let log = try HARLog(in: document.root, &notes)
        let entries = log.entries.map { Array($0.elements) } ?? [document.root]
        for entry in entries {
            guard let request = entry["request"] else { continue }
            let url = RequestURL(request["url"]?.string ?? "")
            guard url.isNetwork else { continue }
            allow(String(url.host), &allowed)
            collect(String(url.pathAndQuery), &secrets)
            names(in: String(url.query ?? ""), &allowed)
            fields(request["headers"], &secrets, &allowed)
            fields(entry["response"]?["headers"], &secrets, &allowed)
            collect(request["postData"]?["text"]?.string, &secrets)
            collect(entry["response"]?["redirectURL"]?.string, &secrets)
            collect(entry["serverIPAddress"]?.string, &secrets)
            if let content = entry["response"]?["content"], content["encoding"]?.string == nil {
                collect(content["text"]?.string, &secrets)
            }
            numbers(entry, &allowed)
            allow(entry["startedDateTime"]?.string, &allowed)
            allow(entry["connection"]?.string, &allowed)
            allow(entry["pageref"]?.string, &allowed)
        }
        for page in log.pages?.elements.map({ $0 }) ?? [] {
            allow(page["startedDateTime"]?.string, &allowed)
            collect(page["title"]?.string, &secrets)
            numbers(page, &allowed)
        }
        for producer in [log.creator, log.browser] {
            allow(producer?.name, &allowed)
            allow(producer?.version, &allowed)
        }
        let left = Set(tokens([UInt8](redacted)).filter { secrets.contains($0) && !allowed.contains($0) })
        return Set(left.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Fields whose values stay.
    private static let kept: Set<String> = HeaderField.keptInRequests.union(HeaderField.keptInResponses)
        .subtracting(["etag", "if-none-match", "if-match"]).union(["host", ":authority", "strict-transport-security"])

    private static func fields(_ list: JSONValue?, _ secrets: inout Set<[UInt8]>, _ allowed: inout Set<[UInt8]>) {
        for field in list?.elements.map({ $0 }) ?? [] {
            let name = field["name"]?.string ?? ""
            allow(name, &allowed)
            let value = field["value"]?.string
            if kept.contains(name.lowercased()) { allow(value, &allowed) } else { collect(value, &secrets) }
            // When a cookie ends says nothing.
            if name.lowercased() == "set-cookie" {
                for part in value?.split(whereSeparator: { ";\n".contains($0) }) ?? []
                where part.lowercased().contains("expires=") || part.lowercased().contains("max-age=") {
                    allow(String(part), &allowed)
                }
            }
        }
    }

    /// Names of parameters stay, also those of a URL inside of a value.
    private static func names(in query: String, _ allowed: inout Set<[UInt8]>) {
        var bytes = Array(query.utf8)
        for _ in 0..<2 { bytes = PercentCoding(bytes)?.decoded ?? bytes }
        for item in bytes.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") })
        where item.contains(UInt8(ascii: "=")) {
            allow(String(decoding: item.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self), &allowed)
        }
    }

    /// Numbers of the format itself: sizes and times.
    private static func numbers(_ value: JSONValue, _ allowed: inout Set<[UInt8]>) {
        if let number = value.numberText { allow(number, &allowed) }
        for element in value.elements { numbers(element, &allowed) }
        for (_, member) in value.members { numbers(member, &allowed) }
    }

    private static func allow(_ text: String?, _ allowed: inout Set<[UInt8]>) {
        for token in tokens(Array((text ?? "").utf8)) { allowed.insert(token) }
    }

    /// What identifies in a text: tokens with digits that are unlikely to be anything else.
    private static func collect(_ text: String?, _ secrets: inout Set<[UInt8]>) {
        for token in tokens(Array((text ?? "").utf8)) where token.count >= 7 {
            let tells = token.withUnsafeBytes { ValueStrength($0) >= .medium }
            if tells, token.contains(where: { $0 &- 0x30 < 10 }),
                token.contains(where: { $0 &- 0x30 >= 10 }) || token.count >= 9
            {
                secrets.insert(token)
            }
        }
    }

    private static func tokens(_ bytes: [UInt8]) -> [[UInt8]] {
        var bytes = bytes
        // What is encoded twice is found as what it is.
        for _ in 0..<2 { bytes = PercentCoding(bytes)?.decoded ?? bytes }
        return bytes.split(whereSeparator: { !($0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26) }).map(Array.init)
    }
}
