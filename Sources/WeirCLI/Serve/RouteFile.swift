import Foundation
import WeirFormats

/// A file of routes: an array of them, or an object with `routes` and what all of them share.
///
/// What is wrong with it is told with its place; nothing is guessed.
struct RouteFile: Sendable {
    /// Why a file cannot be used.
    struct Problem: Error, Hashable, CustomStringConvertible {
        var line: Int
        var column: Int
        var reason: String

        var description: String { "line \(line), column \(column): \(reason)" }
    }

    var routes: [Route] = []

    /// Reads a file's text.
    init(_ bytes: [UInt8]) throws(Problem) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            throw Problem(line: error.line, column: error.column, reason: "This is not JSON: \(error.detail).")
        }
        for kind in JSONOddities.Kind.allCases where kind != .byteOrderMark {
            guard let offset = document.oddities.first(of: kind) else { continue }
            let place = bytes.withUnsafeBytes { JSONError.lineAndColumn(of: offset, in: $0) }
            throw Problem(
                line: place.line, column: place.column, reason: "This is not JSON: \(BudgetFile.description(of: kind))."
            )
        }
        var reader = Reader(bytes: bytes)
        routes = try reader.file(document.root)
    }

    /// Reads values and knows where they are.
    struct Reader {
        let bytes: [UInt8]
        private var defaultDelay = 0.0
        private var defaultHeaders: [(String, String)] = []

        init(bytes: [UInt8]) { self.bytes = bytes }

        func problem(_ value: JSONValue, _ reason: String) -> Problem {
            let place = bytes.withUnsafeBytes { JSONError.lineAndColumn(of: value.offset, in: $0) }
            return Problem(line: place.line, column: place.column, reason: reason)
        }

        mutating func file(_ root: JSONValue) throws(Problem) -> [Route] {
            guard root.isObject else { return try routes(root) }
            if let log = root.members.first(where: { $0.key.string == "log" }) {
                throw problem(log.key, "This is a HAR file, it seems: its name must end in .har.")
            }
            try check(root, ["routes", "headers", "delay"], "The file")
            if let delay = root["delay"] { defaultDelay = try milliseconds(delay, "delay") }
            if let headers = root["headers"] { defaultHeaders = try fields(headers) }
            guard let list = root["routes"] else { throw problem(root, "The file has no \"routes\".") }
            return try routes(list)
        }

        private func routes(_ list: JSONValue) throws(Problem) -> [Route] {
            guard list.isArray else {
                throw problem(list, "Here must be an array of routes, and this is \(list.kindName).")
            }
            var routes: [Route] = []
            for element in list.elements { routes.append(try route(element)) }
            return routes
        }

        private static let routeKeys = ["method", "path", "query", "answers", "then"]
        private static let answerKeys = [
            "status", "headers", "delay", "chunked", "body", "json", "file", "base64", "size", "pieces", "fault",
            "directory", "type",
        ]

        private func route(_ value: JSONValue) throws(Problem) -> Route {
            guard value.isObject else {
                throw problem(value, "A route must be an object, and this is \(value.kindName).")
            }
            try check(value, Self.routeKeys + Self.answerKeys, "A route")
            guard let path = value["path"] else { throw problem(value, "This route has no \"path\".") }
            let text = try string(path, "path")
            guard let pattern = RoutePattern(text) else {
                throw problem(
                    path,
                    "The path \"\(text)\" must begin with a slash; a name stands as :name between slashes, once; * may be the "
                        + "last part.")
            }
            var route = Route(pattern: pattern)
            if let method = value["method"] {
                let name = try string(method, "method")
                guard !name.isEmpty, name.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") })
                else {
                    throw problem(method, "The method \"\(name)\" must be in capitals, such as GET.")
                }
                route.method = name
            }
            if let query = value["query"] {
                guard query.isObject else { throw problem(query, "\"query\" must be an object of strings.") }
                for (key, member) in query.members { route.query[key.string ?? ""] = try string(member, "query") }
            }
            if let answers = value["answers"] {
                guard answers.isArray else { throw problem(answers, "\"answers\" must be an array.") }
                for key in Self.answerKeys {
                    guard let other = value.members.first(where: { $0.key.string == key }) else { continue }
                    throw problem(other.key, "A route with \"answers\" has no \"\(key)\" of its own: put it into them.")
                }
                for answer in answers.elements {
                    guard answer.isObject else { throw problem(answer, "An answer must be an object.") }
                    try check(answer, Self.answerKeys, "An answer")
                    route.answers.append(try self.answer(answer, pattern))
                }
                guard !route.answers.isEmpty else { throw problem(answers, "\"answers\" is empty.") }
                if let then = value["then"] {
                    guard let word = Route.AfterLast(rawValue: try string(then, "then")) else {
                        throw problem(then, "\"then\" must be \"last\", \"repeat\" or \"none\".")
                    }
                    route.afterLast = word
                }
            } else {
                if let then = value["then"] {
                    throw problem(then, "\"then\" goes with \"answers\", which are not there.")
                }
                route.answers = [try answer(value, pattern)]
            }
            return route
        }

        private func answer(_ value: JSONValue, _ pattern: RoutePattern) throws(Problem) -> Route.Answer {
            var answer = Route.Answer(headers: defaultHeaders, delay: defaultDelay)
            if let status = value["status"] { answer.status = try whole(status, "status", 200...999) }
            if let headers = value["headers"] {
                let own = try fields(headers)
                answer.headers.removeAll { shared in own.contains { $0.0.lowercased() == shared.0.lowercased() } }
                answer.headers += own
            }
            if let delay = value["delay"] { answer.delay = try milliseconds(delay, "delay") }
            if let chunked = value["chunked"] {
                guard let isChunked = chunked.bool else { throw problem(chunked, "\"chunked\" must be true or false.") }
                answer.isChunked = isChunked
            }
            try readBody(of: value, pattern, into: &answer)
            if let type = value["type"] {
                let text = try string(type, "type")
                guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                    throw problem(type, "The type has a control character in it.")
                }
                answer.headers.removeAll { $0.0.lowercased() == "content-type" }
                answer.headers.append(("Content-Type", text))
            }
            if [204, 205, 304].contains(answer.status) {
                let bodies = ["body", "json", "file", "base64", "size", "pieces", "directory"]
                for key in bodies {
                    guard let body = value.members.first(where: { $0.key.string == key }) else { continue }
                    throw problem(
                        body.key, "An answer of status \(answer.status) has no body, and this one has \"\(key)\".")
                }
            }
            return answer
        }

        private func readBody(
            of value: JSONValue, _ pattern: RoutePattern, into answer: inout Route.Answer
        ) throws(Problem) {
            let sources = ["body", "json", "file", "base64", "size", "pieces", "fault", "directory"]
            var given: (key: String, value: JSONValue)?
            for (key, member) in value.members {
                guard let name = key.string, sources.contains(name) else { continue }
                if let given {
                    throw problem(key, "An answer has one body: \"\(given.key)\" and \"\(name)\" exclude each other.")
                }
                given = (name, member)
            }
            guard let given else { return }
            var type: String?
            switch given.key {
            case "body":
                answer.body = [.text(try string(given.value, "body"))]
                type = "text/plain; charset=utf-8"
            case "json":
                answer.body = [.text(given.value.sourceText)]
                answer.isJSON = true
                type = "application/json"
            case "file":
                let path = try string(given.value, "file")
                answer.body = [.file(path)]
                type = MediaType.of(path: path)
            case "base64": answer.body = [.bytes(try base64(given.value))]
            case "size": answer.body = [.filler(try whole(given.value, "size", 0...(1 << 30)))]
            case "pieces":
                guard given.value.isArray else { throw problem(given.value, "\"pieces\" must be an array.") }
                for element in given.value.elements { answer.body.append(try piece(element)) }
            case "directory":
                guard pattern.prefix != nil else {
                    throw problem(
                        given.value, "A \"directory\" needs a path that ends in /* and has no names, such as /static/*."
                    )
                }
                answer.directory = try string(given.value, "directory")
            default: answer.fault = try fault(given.value)
            }
            if let type, !answer.headers.contains(where: { $0.0.lowercased() == "content-type" }) {
                answer.headers.append(("Content-Type", type))
            }
        }

        private func piece(_ value: JSONValue) throws(Problem) -> Route.Part {
            if let text = value.string { return .text(text) }
            let keys = ["text", "json", "base64", "file", "size", "pause", "raw", "fault"]
            let members = Array(value.members)
            guard value.isObject, members.count == 1, let key = members[0].key.string, keys.contains(key) else {
                throw problem(
                    value,
                    "A piece is a string, or an object with one of " + ParsedArguments.list(keys.map { "\"\($0)\"" })
                        + ".")
            }
            let member = members[0].value
            switch key {
            case "text": return .text(try string(member, "text"))
            case "json": return .text(member.sourceText)
            case "base64": return .bytes(try base64(member))
            case "file": return .file(try string(member, "file"))
            case "size": return .filler(try whole(member, "size", 0...(1 << 30)))
            case "pause": return .pause(try milliseconds(member, "pause"))
            case "raw": return .raw(try string(member, "raw"))
            default:
                let fault = try fault(member)
                guard fault != .garbage else {
                    throw problem(
                        member, "Inside of a body a fault is \"reset\" or \"close\"; garbage is a \"raw\" piece.")
                }
                return .fault(fault)
            }
        }

        // MARK: - Values

        private func check(_ object: JSONValue, _ keys: [String], _ what: String) throws(Problem) {
            var seen: Set<String> = []
            for (key, _) in object.members {
                let name = key.string ?? ""
                guard keys.contains(name) else {
                    let near = EditDistance.nearest(to: name, in: keys).map { " Did you mean \"\($0)\"?" } ?? ""
                    throw problem(key, "\(what) has no \"\(name)\".\(near)")
                }
                guard seen.insert(name).inserted else { throw problem(key, "\"\(name)\" is given twice.") }
            }
        }

        private func string(_ value: JSONValue, _ name: String) throws(Problem) -> String {
            guard let text = value.string else {
                throw problem(value, "\"\(name)\" must be a string, and this is \(value.kindName).")
            }
            return text
        }

        private func whole(_ value: JSONValue, _ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int {
            guard let number = value.number, number == number.rounded(), number >= Double(range.lowerBound),
                number <= Double(range.upperBound)
            else {
                throw problem(
                    value, "\"\(name)\" must be a whole number from \(range.lowerBound) to \(range.upperBound).")
            }
            return Int(number)
        }

        private func milliseconds(_ value: JSONValue, _ name: String) throws(Problem) -> Double {
            guard let number = value.number, number >= 0, number <= 3_600_000 else {
                throw problem(value, "\"\(name)\" must be a number of milliseconds from 0 to 3600000.")
            }
            return number
        }

        private func base64(_ value: JSONValue) throws(Problem) -> [UInt8] {
            guard let data = Data(base64Encoded: try string(value, "base64")) else {
                throw problem(value, "This is not Base64.")
            }
            return Array(data)
        }

        private func fault(_ value: JSONValue) throws(Problem) -> Route.Fault {
            guard let fault = Route.Fault(rawValue: try string(value, "fault")) else {
                throw problem(value, "\"fault\" must be \"reset\", \"close\" or \"garbage\".")
            }
            return fault
        }

        private func fields(_ value: JSONValue) throws(Problem) -> [(String, String)] {
            guard value.isObject else { throw problem(value, "\"headers\" must be an object.") }
            var fields: [(String, String)] = []
            for (key, member) in value.members {
                let name = key.string ?? ""
                guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
                    throw problem(key, "\"\(name)\" is no name of a header field.")
                }
                if ["content-length", "transfer-encoding"].contains(name.lowercased()) {
                    throw problem(key, "The server writes \(name) itself.")
                }
                // Several fields of one name are an array.
                let values = member.isArray ? Array(member.elements) : [member]
                for value in values {
                    let text = try string(value, name)
                    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                        throw problem(value, "The value of \(name) has a control character in it.")
                    }
                    fields.append((name, text))
                }
            }
            return fields
        }

        private static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }
}
