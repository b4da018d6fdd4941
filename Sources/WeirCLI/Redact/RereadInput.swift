import Foundation
import WeirCoding

/// An input that is read twice, compressed or not: a file from its beginning again, and what comes through a pipe from a
/// copy that has no name and is gone with the program.
struct RereadInput {
    private let input: AuditInput
    /// The copy, or nil for a file that can be read again.
    private let copy: FileHandle?

    /// Opens an input; what is no file is read to its end.
    init(_ input: AuditInput, _ context: Context) throws {
        self.input = input
        var status = stat()
        let isFile = input.path != "-" && stat(input.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard !isFile, input.path == "-" || stat(input.path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            copy = nil
            return
        }
        let copy = try Self.namelessFile()
        try input.pieces(context) { piece in try copy.write(contentsOf: Data(piece)) }
        self.copy = copy
    }

    /// Reads it from its beginning, decompressed.
    func forEachPiece(_ context: Context, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var unpacker = Unpacker(path: input.path, limit: AuditInput.recordingLimit)
        do {
            if let copy {
                try copy.seek(toOffset: 0)
                try FileInput.forEachPiece(descriptor: copy.fileDescriptor, limit: AuditInput.recordingLimit) {
                    try unpacker.take($0, body)
                }
            } else {
                try input.pieces(context) { try unpacker.take($0, body) }
            }
            try unpacker.finish(body)
        } catch let problem as ContentCodingError {
            throw input.failure(problem.description)
        }
    }

    /// A file that only this program can reach.
    private static func namelessFile() throws -> FileHandle {
        var name = Array((FileManager.default.temporaryDirectory.path + "/weir.XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            throw CommandFailure(
                "standard input: A copy cannot be made in the folder for temporary files: \(String(cString: strerror(errno))).",
                status: .system)
        }
        unlink(&name)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
