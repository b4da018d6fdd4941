import Foundation
import WeirTruth

/// Checks what the audit says against what is so; `Scripts/bench` runs it.
@main
enum WeirTruthCommand {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("prediction", 1...2): try await predict(named: arguments.dropFirst().first)
            default:
                FileHandle.standardError.write(Data("usage: weir-truth prediction [NAME]\n".utf8))
                exit(2)
            }
        } catch {
            FileHandle.standardError.write(Data("weir-truth: \(error)\n".utf8))
            exit(1)
        }
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
