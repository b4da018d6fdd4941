import Foundation
import WeirAudit
import WeirCoding
import WeirFormats
import WeirReports

/// Reads what is to be audited: a file or standard input, compressed or not, as it comes.
struct AuditInput: Sendable {
    /// The largest file that is read whole, such as a budget: 1 GiB.
    static let limit = 1 << 30
    /// The largest recording, and the largest one after decompression: 1 TiB, none of which is held.
    static let recordingLimit = 1 << 40

    /// The path, or `-` for standard input.
    var path: String

    /// How messages name it.
    var name: String { path == "-" ? "standard input" : "\(PrintableText(path).shortened(to: 80))" }

    /// Reads the recording, and makes its units one at a time.
    ///
    /// - Parameter dependencies: Whether the bodies in a HAR file are looked through for dependencies.
    /// - Throws: ``CommandFailure`` that says what is wrong and where.
    func read(_ context: Context, _ dependencies: Recording.Dependencies = .find()) throws -> RecordingUnits {
        var stream = RecordingStream(dependencies: dependencies)
        do {
            try withPieces(context) { try stream.take($0) }
            return try stream.finish()
        } catch let problem as Recording.Failure {
            throw failure(problem.description)
        }
    }

    /// Gives the bytes as they come, decompressed.
    func withPieces(_ context: Context, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var unpacker = Unpacker(path: path, limit: Self.recordingLimit)
        do {
            try pieces(context) { piece in try unpacker.take(piece, body) }
            try unpacker.finish(body)
        } catch let problem as ContentCodingError {
            throw failure(problem.description)
        }
    }

    /// The bytes of the file.
    func contents(_ context: Context) throws -> Data {
        do {
            return path == "-"
                ? try context.input(Self.limit) : try FileInput.read(path: path, limit: Self.limit)
        } catch let problem as FileInput.Failure {
            throw failure("It cannot be read: \(problem).")
        }
    }

    /// The bytes as they come, as they are.
    func pieces(_ context: Context, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        do {
            if path == "-" {
                try context.pieces(Self.recordingLimit, body)
            } else {
                try FileInput.forEachPiece(path: path, limit: Self.recordingLimit, body)
            }
        } catch let problem as FileInput.Failure {
            throw failure("It cannot be read: \(problem).")
        }
    }

    /// The budget in the file.
    func budget(_ context: Context) throws -> BudgetFile {
        let data = try contents(context)
        do throws(NetworkBudget.FileError) {
            let budget = try BudgetFile(data)
            for remark in budget.remarks { context.errors.write("weir: \(name): \(remark)\n") }
            return budget
        } catch {
            throw failure(error.description)
        }
    }

    /// A file of which nothing could be read is no recording, and its first error says why.
    func checkSomethingWasRead(_ recording: Recording) throws(CommandFailure) {
        let unexpected = recording.skipped.filter { !$0.reason.isExpected }
        guard recording.skipped.count == recording.entryCount, let first = unexpected.first else { return }
        let count = Quantity.count(recording.entryCount, "entry", plural: "entries")
        throw failure("Nothing of its \(count) could be read: \(first).")
    }

    /// An error about this input.
    func failure(_ sentence: String) -> CommandFailure {
        CommandFailure("\(name): \(PrintableText(sentence))", status: .badInput)
    }
}
