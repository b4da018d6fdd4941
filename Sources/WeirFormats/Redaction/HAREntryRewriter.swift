import Foundation
import WeirEvidence
import WeirModel

/// Writes an entry of a HAR file again, with pseudonyms for what is personal in it.
///
/// What says how the requests went (times, sizes, statuses, methods, types, connections) is copied; all other text goes
/// under pseudonym, in members that no program is known to write too.
struct HAREntryRewriter {
    private(set) var pseudonyms: ValuePseudonyms
    private let bodies: HARRedaction.Bodies
    private let redactor = Redactor()
    private var out: [UInt8] = []

    init(_ pseudonyms: ValuePseudonyms, bodies: HARRedaction.Bodies) {
        self.pseudonyms = pseudonyms
        self.bodies = bodies
    }

    /// How a value is written.
    private enum Rule {
        /// As it is, if it is a number, a word or the like.
        case copied
        /// Numbers as they are.
        case times
        /// Strings under pseudonym.
        case hidden
        /// Not at all.
        case omitted
        /// A URL or a reference.
        case reference
        /// What identifies a page or a unit.
        case identity
        /// The text of a program, with secrets taken out.
        case prose
        case address
        /// The phrase after a status, if it is of a standard.
        case reason
        case connection
        case mediaType
        case headers
        /// Objects with `name` and `value`, the names of which stay.
        case pairs
        case request, response, content, postData
        case securityDetails
        case failure
        case task, transaction, unit
    }

    /// The entry, rewritten.
    mutating func rewrite(_ entry: JSONValue, index: Int) -> [UInt8] {
        out.removeAll(keepingCapacity: true)
        guard entry.isObject else { return Array("null".utf8) }
        // What compression would have saved cannot be found from another text.
        let read = try? HAREntry(entry, index: index, findsDependencies: true)
        compressedBytes = read?.compressedBytes
        object(entry, Self.rule(ofEntry:))
        return out
    }

    /// A value of the log around the entries.
    mutating func rewrite(page: JSONValue) -> [UInt8] {
        out.removeAll(keepingCapacity: true)
        object(page) { key in
            switch key {
            case "startedDateTime": .copied
            case "pageTimings": .times
            case "id": .identity
            case "title": .hidden
            default: .omitted
            }
        }
        return out
    }

    /// What the original would have been compressed to, if that matters.
    private var compressedBytes: Int64?

    // MARK: Which members

    private static func rule(ofEntry key: String) -> Rule {
        switch key {
        case "timings": .times
        case "startedDateTime", "time", "_fromCache", "_fetchType", "_priority", "_resourceType",
            "_connectionReused", "_serverPort", "_was_pushed", "_all_start", "_load_start", "_initiator_type",
            "_charlesStatus", "_fetchedViaServiceWorker", "_protocol", "_monotonicTime", "_blocked_queueing":
            .copied
        case "request": .request
        case "response": .response
        case "pageref": .identity
        case "serverIPAddress", "_ip_addr": .address
        case "connection", "_socket": .connection
        case "_securityDetails": .securityDetails
        case "_error", "_failureText": .failure
        case "_weirTask": .task
        case "_weirTransaction": .transaction
        case "comment": .omitted
        default: .hidden
        }
    }

    private static func rule(ofRequest key: String) -> Rule {
        switch key {
        case "method", "httpVersion", "headersSize", "bodySize": .copied
        case "url": .reference
        case "headers": .headers
        case "cookies", "queryString": .pairs
        case "postData": .postData
        case "comment": .omitted
        default: .hidden
        }
    }

    private static func rule(ofResponse key: String) -> Rule {
        switch key {
        case "status", "httpVersion", "headersSize", "bodySize", "_transferSize", "_fetchType", "_charlesStatus",
            "_fetchedViaServiceWorker":
            .copied
        case "statusText": .reason
        case "headers": .headers
        case "cookies": .pairs
        case "content": .content
        case "redirectURL", "redirectionURL": .reference
        case "_error", "_failureText": .failure
        case "comment": .omitted
        default: .hidden
        }
    }

    private static func rule(ofTask key: String) -> Rule {
        key == "unit" ? .unit : key == "failure" ? .failure : .copied
    }

    private static func rule(ofTransaction key: String) -> Rule { key.hasSuffix("Address") ? .address : .copied }

    // MARK: Writing

    private mutating func object(_ value: JSONValue, _ rule: (String) -> Rule) {
        out.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, member) in value.members {
            let name = key.string ?? ""
            let rule = rule(name)
            if case .omitted = rule { continue }
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            string(pseudonyms.shownName(Array(name.utf8)))
            out.append(UInt8(ascii: ":"))
            write(member, rule, key: name)
        }
        out.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ value: JSONValue, _ rule: Rule, key: String) {
        switch rule {
        case .copied: out += value.writtenBytes
        case .times: times(value)
        case .omitted: out += Array("null".utf8)
        case .hidden: hide(value, key: key)
        case .reference: text(value) { $0.pseudonym(ofReference: $1) }
        case .identity: text(value) { Self.isPageName($1) ? $1 : $0.pseudonym(of: $1) }
        case .prose: prose(value)
        case .address: text(value) { Self.isAddress($1) ? $0.pseudonym(ofAddress: $1) : $0.pseudonym(of: $1) }
        case .reason: text(value) { ReasonPhrases.contains($1) ? $1 : $0.pseudonym(of: $1) }
        case .connection: text(value) { Self.isConnectionName($1) ? $1 : $0.pseudonym(of: $1) }
        case .mediaType: text(value) { Self.mediaType($1, &$0) }
        case .headers: headers(value)
        case .pairs: pairs(value)
        case .request: nested(value, Self.rule(ofRequest:))
        case .response: nested(value, Self.rule(ofResponse:))
        case .content: content(value)
        case .postData: postData(value)
        case .securityDetails: nested(value) { $0 == "protocol" ? .copied : .hidden }
        case .failure:
            if value.isObject {
                nested(value) { $0 == "message" ? .prose : $0 == "domain" || $0 == "code" ? .copied : .hidden }
            } else {
                prose(value)
            }
        case .task: nested(value, Self.rule(ofTask:))
        case .transaction: nested(value, Self.rule(ofTransaction:))
        case .unit: nested(value) { $0 == "id" ? .identity : .hidden }
        }
    }

    /// Durations: numbers, also as text; what else somebody has put beside them goes.
    private mutating func times(_ value: JSONValue) {
        guard value.isObject else { return hide(value, key: "") }
        out.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, member) in value.members {
            let isText = member.string.map { Double($0) == nil } ?? false
            if isText || member.isObject || member.isArray { continue }
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            string(pseudonyms.shownName(Array((key.string ?? "").utf8)))
            out.append(UInt8(ascii: ":"))
            out += member.writtenBytes
        }
        out.append(UInt8(ascii: "}"))
    }

    private mutating func nested(_ value: JSONValue, _ rule: (String) -> Rule) {
        if value.isObject { object(value, rule) } else { hide(value, key: "") }
    }

    /// A value of unknown meaning: strings under pseudonym, and numbers where the key says that they identify.
    private mutating func hide(_ value: JSONValue, key: String) {
        if value.isObject {
            object(value) { key in
                switch key {
                case "url": .reference
                case "type", "_initiator_type": .copied
                default: .hidden
                }
            }
        } else if value.isArray {
            out.append(UInt8(ascii: "["))
            for (index, element) in value.elements.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                hide(element, key: key)
            }
            out.append(UInt8(ascii: "]"))
        } else if let number = value.numberText {
            let isIdentity = Array(key.utf8).withUnsafeBytes { KeyTraits($0).namesIdentity }
            var rewriter = JSONTextRewriter()
            out += isIdentity ? rewriter.rewrite(Array(number.utf8), with: &pseudonyms) : Array(number.utf8)
        } else {
            text(value) { $0.pseudonym(of: $1) }
        }
    }

    /// A string that is changed; anything else is copied, as far as it can say nothing.
    private mutating func text(_ value: JSONValue, _ change: (inout ValuePseudonyms, [UInt8]) -> [UInt8]) {
        if let bytes = value.withStringBytes({ Array($0) }) {
            string(change(&pseudonyms, bytes))
        } else if value.isObject || value.isArray {
            hide(value, key: "")
        } else if let number = value.numberText {
            // A number in the place of a text: it reads as that text.
            string(change(&pseudonyms, Array(number.utf8)))
        } else {
            out += value.writtenBytes
        }
    }

    private mutating func prose(_ value: JSONValue) {
        text(value) { [redactor] pseudonyms, bytes in
            bytes.count > 400
                ? pseudonyms.pseudonym(of: bytes)
                : Array(redactor.redact(text: String(decoding: bytes, as: UTF8.self)).utf8)
        }
    }

    private mutating func string(_ bytes: [UInt8]) {
        var writer = JSONWriter()
        writer.value(String(decoding: bytes, as: UTF8.self))
        out += writer.bytes
    }

    // MARK: Fields and pairs

    private mutating func headers(_ value: JSONValue) {
        if value.isObject {
            out.append(UInt8(ascii: "{"))
            for (index, member) in value.members.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                let name = member.key.string ?? ""
                string(pseudonyms.shownName(Array(name.utf8)))
                out.append(UInt8(ascii: ":"))
                text(member.value) { HARFieldRedaction.value($1, of: name, with: &$0) }
            }
            out.append(UInt8(ascii: "}"))
            return
        }
        guard value.isArray else { return hide(value, key: "") }
        out.append(UInt8(ascii: "["))
        for (index, element) in value.elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            if element.isObject {
                let name = element["name"]?.string ?? ""
                out += Array("{\"name\":".utf8)
                string(pseudonyms.shownName(Array(name.utf8)))
                if let value = element["value"] {
                    out += Array(",\"value\":".utf8)
                    text(value) { HARFieldRedaction.value($1, of: name, with: &$0) }
                }
                out.append(UInt8(ascii: "}"))
            } else if element.isArray {
                var name = ""
                out.append(UInt8(ascii: "["))
                for (place, part) in element.elements.enumerated() {
                    if place > 0 { out.append(UInt8(ascii: ",")) }
                    if place == 0 {
                        name = part.string ?? ""
                        text(part) { $0.shownName($1) }
                    } else {
                        text(part) { HARFieldRedaction.value($1, of: name, with: &$0) }
                    }
                }
                out.append(UInt8(ascii: "]"))
            } else {
                hide(element, key: "")
            }
        }
        out.append(UInt8(ascii: "]"))
    }

    private mutating func pairs(_ value: JSONValue) {
        guard value.isArray else { return hide(value, key: "") }
        out.append(UInt8(ascii: "["))
        for (index, element) in value.elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            guard element.isObject else {
                hide(element, key: "")
                continue
            }
            // What stands without a value may be one.
            let isAlone = element["value"]?.string?.isEmpty ?? true
            out.append(UInt8(ascii: "{"))
            var isFirst = true
            for (key, member) in element.members {
                let name = key.string ?? ""
                if name == "comment" || bodies == .drop && name == "value" { continue }
                if !isFirst { out.append(UInt8(ascii: ",")) }
                isFirst = false
                string(pseudonyms.shownName(Array(name.utf8)))
                out.append(UInt8(ascii: ":"))
                if name == "name" {
                    text(member) {
                        isAlone && !Redactor.isWord(String(decoding: $1, as: UTF8.self))
                            ? $0.pseudonym(of: $1) : $0.shownName($1)
                    }
                } else {
                    hide(member, key: name)
                }
            }
            out.append(UInt8(ascii: "}"))
        }
        out.append(UInt8(ascii: "]"))
    }

    // MARK: Bodies

    private mutating func postData(_ value: JSONValue) {
        guard value.isObject else { return hide(value, key: "") }
        let type = value["mimeType"]?.string
        var body: [UInt8]?
        if bodies == .keep, let bytes = value["text"]?.withStringBytes({ Array($0) }) {
            switch BodyRewriter.rewrite(bytes, contentType: type, isRequest: true, with: &pseudonyms) {
            case .text(let text): body = text
            case .dropped: break
            }
        }
        members(of: value, replacing: body) { key in
            switch key {
            case "mimeType": .mediaType
            case "params": .pairs
            case "comment": .omitted
            default: .hidden
            }
        }
    }

    private mutating func content(_ value: JSONValue) {
        guard value.isObject else { return hide(value, key: "") }
        members(of: value, replacing: body(ofContent: value)) { key in
            switch key {
            case "size", "compression", "encoding": .copied
            case "mimeType": .mediaType
            case "comment": .omitted
            default: .hidden
            }
        }
        if let compressedBytes {
            out.removeLast()
            out += Array((out.last == UInt8(ascii: "{") ? "" : ",").utf8)
            out += Array("\"\(HAREntry.compressedBytesKey)\":\(compressedBytes)}".utf8)
        }
    }

    private mutating func body(ofContent value: JSONValue) -> [UInt8]? {
        guard let text = value["text"]?.withStringBytes({ Array($0) }) else { return nil }
        let isBase64 = value["encoding"]?.string?.lowercased() == "base64"
        if bodies == .keep {
            let type = value["mimeType"]?.string
            if isBase64 {
                if let data = Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters),
                    case .text(let body) = BodyRewriter.rewrite(
                        Array(data), contentType: type, isRequest: false, with: &pseudonyms)
                {
                    return Array(Data(body).base64EncodedString().utf8)
                }
            } else if case .text(let body) = BodyRewriter.rewrite(
                text, contentType: type, isRequest: false, with: &pseudonyms)
            {
                return body
            }
        }
        // Where the size is told by the text alone, so much of it stays.
        guard value["size"]?.number ?? -1 <= 0 else { return nil }
        let filler = isBase64 ? UInt8(ascii: "A") : UInt8(ascii: "x")
        let count = isBase64 ? text.count { $0 > 0x20 && $0 != UInt8(ascii: "=") } : text.count
        return [UInt8](repeating: filler, count: count)
    }

    /// The members of an object that has a body, with another text or none.
    private mutating func members(of value: JSONValue, replacing body: [UInt8]?, _ rule: (String) -> Rule) {
        out.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, member) in value.members {
            let name = key.string ?? ""
            let rule = rule(name)
            if case .omitted = rule { continue }
            if name == "text", body == nil, member.withStringBytes({ _ in }) != nil { continue }
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            string(pseudonyms.shownName(Array(name.utf8)))
            out.append(UInt8(ascii: ":"))
            if name == "text", let body, member.withStringBytes({ _ in }) != nil {
                string(body)
            } else {
                write(member, rule, key: name)
            }
        }
        out.append(UInt8(ascii: "}"))
    }

    // MARK: Small texts

    /// `page_3`, as browsers name pages.
    private static func isPageName(_ bytes: [UInt8]) -> Bool {
        bytes.count <= 24 && bytes.starts(with: "page".utf8)
            && bytes.dropFirst(4).allSatisfy { $0 &- 0x30 < 10 || $0 == 0x5F || $0 == 0x2D }
    }

    /// What an IPv4 or IPv6 address is written with; names and notes have other letters.
    private static func isAddress(_ bytes: [UInt8]) -> Bool {
        bytes.contains { $0 &- 0x30 < 10 || $0 == UInt8(ascii: ":") }
            && bytes.allSatisfy {
                $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 6 || [0x2E, 0x3A, 0x5B, 0x5D].contains($0)
            }
    }

    /// A number, or a name as exporters give one: a word or two of theirs and a number, `ClientPort:4711;EgressPort:80`.
    ///
    /// Letters by themselves are anybody's text.
    private static func isConnectionName(_ bytes: [UInt8]) -> Bool {
        bytes.count <= 64
            && bytes.split(whereSeparator: { [0x3A, 0x3B, 0x2D, 0x5F].contains($0) }).allSatisfy { part in
                part.allSatisfy { $0 &- 0x30 < 10 } || connectionWords.contains(String(decoding: part, as: UTF8.self))
            }
            && bytes.count { $0 == UInt8(ascii: ":") } <= 2
    }

    private static let connectionWords: Set<String> = [
        "ClientPort", "EgressPort", "conn", "connection", "Connection", "socket", "stream", "h2", "h3", "tcp", "udp",
        "quic", "id",
    ]

    static func mediaType(_ bytes: [UInt8], _ pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        let essence = bytes.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let isPlain =
            essence.count <= 80
            && essence.allSatisfy {
                $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || [0x2F, 0x2B, 0x2D, 0x2E, 0x20, 0x2A, 0x5F].contains($0)
            }
        let start = isPlain ? Array(essence) : pseudonyms.pseudonym(of: essence)
        return start + pseudonyms.pseudonym(of: bytes.dropFirst(essence.count))
    }
}

extension JSONValue {
    /// The value as it is written in the text, quotes included.
    var writtenBytes: ArraySlice<UInt8> {
        let node = document.tape[index]
        return node.kind == .string
            ? document.bytes[(node.start - 1)..<(node.end + 1)] : document.bytes[node.start..<node.end]
    }
}
