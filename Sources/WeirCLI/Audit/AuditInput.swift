import Foundation
import WeirCoding
import WeirFormats
import WeirReports

/// Reads what is to be audited: a file or standard input, compressed or not.
struct AuditInput: Sendable {
    /// The largest input, and the largest one after decompression: 1 GiB.
    static let limit = 1 << 30

    /// The path, or `-` for standard input.
    var path: String

    /// How messages name it.
    var name: String { path == "-" ? "standard input" : "\(PrintableText(path).shortened(to: 80))" }

    /// Reads the recording.
    ///
    /// - Throws: ``CommandFailure`` that says what is wrong and where.
    func read(_ context: Context) throws -> Recording {
        let bytes = try decoded(try contents(context))
        try Task.checkCancellation()
        do throws(Recording.Failure) {
            return try RecordingReader.read(Data(bytes))
        } catch {
            throw failure(error.description)
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

    /// An error about this input.
    func failure(_ sentence: String) -> CommandFailure {
        CommandFailure("\(name): \(PrintableText(sentence))", status: .badInput)
    }

    private func decoded(_ data: Data) throws -> Data {
        guard let coding = Self.coding(of: data, path: path) else { return data }
        do throws(ContentCodingError) {
            return Data(try coding.decode([UInt8](data), limit: Self.limit))
        } catch {
            throw failure(error.description)
        }
    }

    /// The coding that the first bytes tell; Brotli has no such mark and is told by the file's name.
    static func coding(of data: Data, path: String) -> ContentCoding? {
        let start = [UInt8](data.prefix(4))
        if start.starts(with: [0x1F, 0x8B]) { return .gzip }
        if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        // RFC 1950, section 2.2: method 8, and a header that is a multiple of 31. No JSON text starts with an x.
        if start.count >= 2, start[0] & 0x0F == 8, start[0] >> 4 <= 7, (Int(start[0]) << 8 + Int(start[1])) % 31 == 0 {
            return .deflate
        }
        return path.utf8.suffix(3).elementsEqual(".br".utf8) ? .br : nil
    }
}
