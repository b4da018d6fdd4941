import Foundation
import Testing
import WeirReports

/// A violation as an annotation of GitHub Actions: written to the log where `GITHUB_ACTIONS` is set, and nowhere else.
enum WorkflowAnnotation {
    static func post(_ message: String, title: String, enforcement: BudgetEnforcement, at location: SourceLocation) {
        guard TestEnvironment.isSet("GITHUB_ACTIONS") else { return }
        let environment = ProcessInfo.processInfo.environment
        let line = Annotations.line(
            level: enforcement == .enforced ? "error" : "warning", title: title, message: message,
            file: relative("\(location.filePath)", to: environment["GITHUB_WORKSPACE"]), line: location.line)
        FileHandle.standardOutput.write(Data(line.utf8))
    }

    /// Annotations stand at files by their paths in the checkout.
    static func relative(_ path: String, to root: String?) -> String {
        guard let root, !root.isEmpty else { return path }
        let folder = root.hasSuffix("/") ? root : root + "/"
        return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }
}
