import Foundation
import WeirEvidence
import WeirModel

/// What becomes of a body in a recording that is redacted.
enum BodyRewriter {
    /// What of a body's text is kept.
    enum Outcome: Equatable {
        /// The text with pseudonyms, of the same length.
        case text([UInt8])
        /// Nothing: no value that flows is looked for in it.
        case dropped
    }

    /// How a body is read.
    enum Form {
        case json
        case eventStream
        case form
        case text
        /// Pages, scripts, pictures: what they say is not looked at.
        case opaque

        /// - Parameter isRequest: Whether it is a request's: of those an unknown type is looked into.
        init(contentType: String?, first: UInt8?, isRequest: Bool) {
            let essence = (contentType ?? "").utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
            let name = String(decoding: essence, as: UTF8.self).lowercased().filter { $0 > " " }
            let isStructured = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            if name.contains("json") {
                self = .json
            } else if name == "text/event-stream" {
                self = .eventStream
            } else if name == "application/x-www-form-urlencoded" {
                self = isRequest ? .form : .opaque
            } else if isStructured,
                isRequest || ["", "text/plain", "application/octet-stream", "x-unknown"].contains(name)
            {
                self = .json
            } else {
                self = name == "text/plain" || isRequest ? .text : .opaque
            }
        }
    }

    /// Rewrites a body.
    static func rewrite(
        _ bytes: [UInt8], contentType: String?, isRequest: Bool, with pseudonyms: inout ValuePseudonyms
    ) -> Outcome {
        let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        switch Form(contentType: contentType, first: first, isRequest: isRequest) {
        case .json:
            var rewriter = JSONTextRewriter()
            return .text(rewriter.rewrite(bytes, with: &pseudonyms))
        case .eventStream: return .text(eventStream(bytes, with: &pseudonyms))
        case .form: return .text(form(bytes, with: &pseudonyms))
        case .text: return .text(pseudonyms.pseudonym(of: bytes))
        case .opaque: return .dropped
        }
    }

    /// `data:` holds JSON or text; the names of fields stay, and comments go under pseudonym.
    private static func eventStream(_ bytes: [UInt8], with pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var start = 0
        for i in 0...bytes.count where i == bytes.count || bytes[i] == 0x0A || bytes[i] == 0x0D {
            let line = bytes[start..<i]
            let mark = line.firstIndex(of: UInt8(ascii: ":")) ?? i
            let name = line[start..<mark]
            if ["data", "event", "id", "retry"].contains(where: { name.elementsEqual($0.utf8) }) {
                result += name
                let value = Array(line[mark...])
                if name.elementsEqual("data".utf8) {
                    var rewriter = JSONTextRewriter()
                    let isStructured = value.dropFirst().first { $0 > 0x20 }.map { $0 == 0x7B || $0 == 0x5B } ?? false
                    result +=
                        isStructured ? rewriter.rewrite(value, with: &pseudonyms) : pseudonyms.pseudonym(of: value)
                } else {
                    result += name.elementsEqual("retry".utf8) ? value : pseudonyms.pseudonym(of: value)
                }
            } else {
                result += pseudonyms.pseudonym(of: line)
            }
            if i < bytes.count { result.append(bytes[i]) }
            start = i + 1
        }
        return result
    }

    /// `name=value&name=value`: names stay.
    static func form(_ bytes: some Collection<UInt8>, with pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        var result: [UInt8] = []
        for (index, item) in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated() {
            if index > 0 { result.append(UInt8(ascii: "&")) }
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            result += pseudonyms.shownName(name)
            result += pseudonyms.pseudonym(of: item.dropFirst(name.count))
        }
        return result
    }
}
