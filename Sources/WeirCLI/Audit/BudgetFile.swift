import Foundation
import WeirAudit
import WeirFormats
import WeirModel

/// A file with a budget, in either of the forms that are read.
enum BudgetFile: Sendable {
    /// Weir's own: one object.
    case own(NetworkBudget)
    /// Lighthouse's: an array of budgets, each for some paths.
    case lighthouse(LighthouseBudget)

    init(_ json: Data) throws(NetworkBudget.FileError) {
        try Self.check(json)
        self = LighthouseBudget.isOne(json) ? .lighthouse(try .init(json: json)) : .own(try .init(json: json))
    }

    /// Sees that it is JSON to the letter, and that nothing is said twice: one of two limits would count, and nobody would
    /// know which.
    private static func check(_ json: Data) throws(NetworkBudget.FileError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: Array(json))
        } catch {
            throw .init(place: "", problem: "The budget is not JSON: \(error).")
        }
        for kind in JSONOddities.Kind.allCases where kind != .byteOrderMark {
            guard let offset = document.oddities.first(of: kind) else { continue }
            let place = json.withUnsafeBytes { JSONError.lineAndColumn(of: offset, in: $0) }
            throw .init(
                place: "",
                problem: "The budget is not JSON: line \(place.line), column \(place.column) (byte \(offset)): "
                    + "\(description(of: kind)).")
        }
        if let twice = repeatedKey(in: document.root, at: []) {
            throw .init(place: twice.joined(separator: "."), problem: "is given twice.")
        }
    }

    /// What is odd, in a few words.
    static func description(of kind: JSONOddities.Kind) -> String {
        switch kind {
        case .byteOrderMark: "a byte order mark"
        case .scriptCall: "a script call"
        case .trailingComma: "a comma with nothing after it"
        case .invalidEscape: "an escape that JSON does not have"
        case .rawControlCharacter: "a control character in a string"
        case .invalidUTF8: "bytes that are not UTF-8"
        case .loneSurrogate: "half of a surrogate pair"
        case .nonFiniteNumber: "NaN and infinity are no numbers"
        }
    }

    /// The path of the first key that an object has twice.
    private static func repeatedKey(in value: JSONValue, at path: [String]) -> [String]? {
        var seen: Set<String> = []
        for (key, member) in value.members {
            let name = key.string ?? ""
            guard seen.insert(name).inserted else { return path + [name] }
            if let found = repeatedKey(in: member, at: path + [name]) { return found }
        }
        for (index, element) in value.elements.enumerated() {
            if let found = repeatedKey(in: element, at: path + ["[\(index)]"]) { return found }
        }
        return nil
    }

    /// The budget for a unit of work, or nil when the file has none for it.
    func budget(for records: [TaskRecord]) -> NetworkBudget? {
        switch self {
        case .own(let budget): budget
        case .lighthouse(let file): file.budget(for: records)
        }
    }

    /// What of the file is not judged, a sentence each.
    var remarks: [String] {
        guard case .lighthouse(let file) = self, !file.notJudged.isEmpty else { return [] }
        return [
            "not judged, since a recording of the network does not tell it: \(file.notJudged.joined(separator: ", "))"
        ]
    }
}
