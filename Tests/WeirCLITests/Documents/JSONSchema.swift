import Foundation

/// Holds a document against a JSON Schema, as far as `Documentation/report.schema.json` uses it.
struct JSONSchema {
    private let root: [String: Any]

    struct Unsupported: Error {
        var keyword: String
    }

    /// The schema of what `--json` writes.
    static func documented() throws -> JSONSchema {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(components: "Documentation", "report.schema.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return JSONSchema(root: json as? [String: Any] ?? [:])
    }

    /// What does not fit, each with its place; empty for a document that is valid.
    func problems(in text: String) throws -> [String] {
        try check(JSONSerialization.jsonObject(with: Data(text.utf8)), root, "$")
    }

    private func check(_ value: Any, _ schema: [String: Any], _ place: String) throws -> [String] {
        var problems: [String] = []
        for (keyword, argument) in schema {
            switch (keyword, argument) {
            case ("$ref", let name as String):
                let definitions = root["$defs"] as? [String: [String: Any]]
                guard let target = definitions?[name.replacingOccurrences(of: "#/$defs/", with: "")] else {
                    throw Unsupported(keyword: name)
                }
                problems += try check(value, target, place)
            case ("type", let name as String): if !fits(value, name) { problems.append("\(place) is no \(name)") }
            case ("type", let names as [String]):
                if !names.contains(where: { fits(value, $0) }) { problems.append("\(place) is none of \(names)") }
            case ("const", let wanted as String):
                if value as? String != wanted { problems.append("\(place) is not \(wanted)") }
            case ("enum", let words as [String]):
                if !((value as? String).map(words.contains) ?? false) {
                    problems.append("\(place) is none of \(words)")
                }
            case ("minimum", let least as NSNumber):
                if let number = value as? NSNumber, number.doubleValue < least.doubleValue {
                    problems.append("\(place) is below \(least)")
                }
            case ("oneOf", let choices as [[String: Any]]):
                let results = try choices.map { try check(value, $0, place) }
                let fitting = results.count { $0.isEmpty }
                if fitting != 1 {
                    problems.append("\(place) fits \(fitting) of \(choices.count): \(results.flatMap { $0 }.prefix(6))")
                }
            case ("items", let item as [String: Any]):
                for (index, element) in (value as? [Any] ?? []).enumerated() {
                    problems += try check(element, item, "\(place)[\(index)]")
                }
            case ("properties", let properties as [String: [String: Any]]):
                for (name, member) in value as? [String: Any] ?? [:] {
                    if let schema = properties[name] { problems += try check(member, schema, "\(place).\(name)") }
                }
            case ("required", let names as [String]):
                guard let object = value as? [String: Any] else { continue }
                problems += names.filter { object[$0] == nil }.map { "\(place) lacks \($0)" }
            case ("additionalProperties", _), ("description", _), ("title", _), ("$schema", _), ("$id", _),
                ("$defs", _):
                continue
            default: throw Unsupported(keyword: keyword)
            }
        }
        return problems
    }

    private func fits(_ value: Any, _ type: String) -> Bool {
        switch type {
        case "null": return value is NSNull
        case "string": return value is String
        case "array": return value is [Any]
        case "object": return value is [String: Any]
        case "boolean": return isBoolean(value)
        case "number": return value is NSNumber && !isBoolean(value)
        case "integer":
            guard let number = value as? NSNumber, !isBoolean(value) else { return false }
            return number.doubleValue == number.doubleValue.rounded()
        default: return false
        }
    }

    private func isBoolean(_ value: Any) -> Bool {
        guard let number = value as? NSNumber else { return false }
        return String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B"
    }
}
