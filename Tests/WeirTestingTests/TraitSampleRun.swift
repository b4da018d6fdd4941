import Foundation
import Testing

/// One run of the samples in a process of their own: this test program, told to run nothing else.
struct TraitSampleRun {
    /// Set in the environment of the process that runs the samples.
    static let variable = "WEIR_TRAIT_SAMPLES"

    let output: String
    let status: Int32

    /// Runs the samples of Swift Testing, or those of XCTest.
    /// - Parameters:
    ///   - attachments: Where what the samples attach is written, or nil for nowhere.
    ///   - environment: What more the samples find in their environment.
    init(_ samples: Samples, attachments: String? = nil, environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = samples.arguments + (attachments.map { ["--attachments-path", $0] } ?? [])
        // What says how budgets are judged here is not to say it there.
        let inherited = ProcessInfo.processInfo.environment.filter {
            !["CI", "WEIR_RECORD", "WEIR_REPORT_ONLY", "GITHUB_ACTIONS"].contains($0.key)
        }
        process.environment = inherited.merging([Self.variable: "1", "NO_COLOR": "1"]) { $1 }
            .merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    enum Samples {
        case swiftTesting
        case xctest
        case recorded

        var arguments: [String] {
            switch self {
            case .swiftTesting: ["--testing-library", "swift-testing", "--filter", "TraitSamples"]
            case .xctest: ["WeirTestingTests.XCTestSamples"]
            case .recorded: ["--testing-library", "swift-testing", "--filter", "RecordedSamples"]
            }
        }
    }

    /// The lines that report issues of a test.
    func issues(of test: String) -> [String] {
        output.split(separator: "\n").map(String.init).filter {
            $0.contains(" \(test)") && $0.contains("recorded an issue")
        }
    }

    /// Whether a test passed.
    func passed(_ test: String) -> Bool { output.contains("Test \(test) passed") }
}
