import Foundation
import WeirTruth

/// Checks what the audit says against what is so; `Scripts/bench` runs it.
@main
enum WeirTruthCommand {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("sample", 1): try await sample()
            case ("prediction", 1...2): try await predict(named: arguments.dropFirst().first)
            case ("truth", 1...4):
                let numbers = arguments.dropFirst().map { UInt64($0) ?? 0 }
                try await judge(
                    seeds: numbers.first ?? 1_000, width: Int(numbers.dropFirst().first ?? 24),
                    from: numbers.dropFirst(2).first ?? 0)
            case ("findings", 2): print(try FindingsByFile.document(of: URL(filePath: arguments[1])), terminator: "")
            case ("show", 2): try await show(UInt64(arguments[1]) ?? 0)
            default:
                FileHandle.standardError.write(
                    Data(
                        "usage: weir-truth sample | prediction [NAME] | truth [SEEDS] [WIDTH] [FIRST] | show SEED | findings FOLDER\n"
                            .utf8))
                exit(2)
            }
        } catch {
            FileHandle.standardError.write(Data("weir-truth: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Prints a few predictions, a line each, for a test: name, error, error of the simulation itself, whether it is missing,
    /// and whether the fix is faster, apart by tabs.
    @concurrent
    private static func sample() async throws {
        for screen in PredictionScreen.sample {
            let result = try await screen.check(runs: 2)
            print(
                "\(result.name)\t\(result.error)\t\(result.selfError)\t\(result.isMissing)\t\(result.predicted < result.before)"
            )
        }
    }

    /// Prints the table, and on standard error each mistake.
    @concurrent
    private static func judge(seeds: UInt64, width: Int, from first: UInt64) async throws {
        let score = try await TruthCheck.run(seeds: first..<(first + seeds), width: max(1, width))
        for mistake in score.mistakes { FileHandle.standardError.write(Data((mistake + "\n").utf8)) }
        print(TruthCheck.table(score), terminator: "")
    }

    /// Prints what a seed's screen did, and what was found in it.
    @concurrent
    private static func show(_ seed: UInt64) async throws {
        print(try await TruthCheck.text(seed), terminator: "")
    }

    @concurrent
    private static func predict(named name: String?) async throws {
        var results: [PredictionResult] = []
        for screen in PredictionScreen.all where name.map({ screen.name.contains($0) }) ?? true {
            results.append(try await screen.check())
        }
        print(PredictionTable(results).text, terminator: "")
    }
}
