import Foundation
import WeirAudit
import WeirModel

/// A file with a budget, in either of the forms that are read.
enum BudgetFile: Sendable {
    /// Weir's own: one object.
    case own(NetworkBudget)
    /// Lighthouse's: an array of budgets, each for some paths.
    case lighthouse(LighthouseBudget)

    init(_ json: Data) throws(NetworkBudget.FileError) {
        self = LighthouseBudget.isOne(json) ? .lighthouse(try .init(json: json)) : .own(try .init(json: json))
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
