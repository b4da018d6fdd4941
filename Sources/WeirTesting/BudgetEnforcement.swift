import Foundation

/// What a broken budget does to a test.
public enum BudgetEnforcement: Sendable, Hashable {
    /// Each violation is an issue, and the test fails.
    case enforced
    /// Each violation is a warning: it is shown and attached, and the test passes.
    ///
    /// `WEIR_REPORT_ONLY=1` in the environment makes all budgets so, as for the first weeks of budgets in a project.
    case reportOnly

    /// This, or what the environment says.
    var effective: Self { TestEnvironment.isSet("WEIR_REPORT_ONLY") ? .reportOnly : self }
}

/// What the environment says of how tests are to run.
enum TestEnvironment {
    /// Whether a variable is set to anything but nothing, `0` and `false`.
    static func isSet(_ name: String) -> Bool {
        guard let value = ProcessInfo.processInfo.environment[name] else { return false }
        return !["", "0", "false"].contains(value)
    }

    /// Whether budget files are to be written anew.
    static var isRecording: Bool { isSet("WEIR_RECORD") }

    /// Whether nobody is there to commit a new file.
    static var isContinuousIntegration: Bool { isSet("CI") }
}
