/// Where the bytes of a JSON text are in the file from which they were taken, piece by piece.
struct JSONOrigin: Sendable {
    /// Bytes that follow each other in the file.
    private struct Piece: Sendable {
        /// The first byte in the text.
        var start: Int
        /// Its place in the file.
        var position: TextPosition
    }

    private var pieces: [Piece] = []

    /// Makes the origin of a text that is the file, or begins at a place in it.
    init(_ position: TextPosition = TextPosition()) {
        pieces = [Piece(start: 0, position: position)]
    }

    /// Says that the text goes on, from a byte of it, at a place in the file.
    mutating func add(_ position: TextPosition, from start: Int) {
        pieces.append(Piece(start: start, position: position))
    }

    /// The byte of the file that a byte of the text is.
    func offset(of offset: Int) -> Int {
        let piece = piece(of: offset)
        return piece.position.offset + offset - piece.start
    }

    /// The place in the file of a byte of the text.
    func position(of offset: Int, in bytes: [UInt8]) -> TextPosition {
        let piece = piece(of: offset)
        return bytes.withUnsafeBytes { bytes in
            let end = min(max(piece.start, offset), bytes.count)
            return piece.position.advanced(over: UnsafeRawBufferPointer(rebasing: bytes[piece.start..<end]))
        }
    }

    private func piece(of offset: Int) -> Piece {
        pieces.last { $0.start <= offset } ?? Piece(start: 0, position: TextPosition())
    }
}
