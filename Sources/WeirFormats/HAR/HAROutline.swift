/// The text around a HAR file's entries, walked byte by byte as it arrives.
///
/// It finds the array of entries wherever a log may stand, and keeps all of the file but what is in that array. The
/// grammar is not its business: when the file has ended, the outline is parsed, a small document with an empty array.
struct HAROutline {
    /// Where an array of entries was found; of several the highest counts, as in ``HARLog``.
    private enum Rank: Int, Comparable {
        /// In the log of a member of the root.
        case wrapped
        /// In the root.
        case bare
        /// In the root's log.
        case log

        static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    private enum Key {
        case log
        case entries
        case other
    }

    /// What a byte is to the reader.
    enum Step {
        case more
        /// The array of entries begins; what was taken for it before, if anything, is not it.
        case entries
    }

    private(set) var bytes: [UInt8] = []
    /// Where the array of entries begins in the outline, or nil when none was found.
    private(set) var entriesOffset: Int?

    /// Whether each of the outermost containers is an object: deeper than four no log begins.
    private var isObject: [Bool] = []
    private var depth = 0
    private var keys: [Key] = []
    private var expectsKey = false
    /// Where the string starts that the current byte is in.
    private var stringStart: Int?
    private var isEscaped = false
    private var found: (rank: Rank, member: Int)?
    /// How many members of the root are complete.
    private var member = 0

    private static let deepest = 4

    /// Takes the next byte.
    mutating func take(_ byte: UInt8) -> Step {
        bytes.append(byte)
        if let start = stringStart {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                stringStart = nil
                if expectsKey, depth == isObject.count, depth > 0 { setKey(bytes[start..<(bytes.count - 1)]) }
            }
            return .more
        }
        switch byte {
        case UInt8(ascii: "\""): stringStart = bytes.count
        case UInt8(ascii: "{"): open(isObject: true)
        case UInt8(ascii: "["):
            let rank = rank
            open(isObject: false)
            if let rank, isBetter(rank) {
                found = (rank, member)
                entriesOffset = bytes.count - 1
                return .entries
            }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else { break }
            if depth == isObject.count {
                isObject.removeLast()
                keys.removeLast()
            }
            depth -= 1
            expectsKey = false
        case UInt8(ascii: ":"): expectsKey = false
        case UInt8(ascii: ","):
            if depth == 1 { member += 1 }
            expectsKey = depth == isObject.count && isObject.last == true
        default: break
        }
        return .more
    }

    /// The outline of a file that ends inside the array of entries, closed.
    var closed: [UInt8] {
        bytes + isObject.reversed().map { $0 ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    private mutating func open(isObject: Bool) {
        if depth == self.isObject.count, depth < Self.deepest {
            self.isObject.append(isObject)
            keys.append(.other)
        }
        depth += 1
        expectsKey = isObject && depth == self.isObject.count
    }

    private mutating func setKey(_ text: ArraySlice<UInt8>) {
        keys[depth - 1] =
            text.elementsEqual("log".utf8) ? .log : text.elementsEqual("entries".utf8) ? .entries : .other
    }

    /// What an array that begins here would be.
    private var rank: Rank? {
        guard depth == isObject.count, isObject.allSatisfy(\.self), !expectsKey else { return nil }
        return switch keys {
        case [.entries]: .bare
        case [.log, .entries]: .log
        case [.other, .log, .entries], [.entries, .log, .entries]: .wrapped
        default: nil
        }
    }

    /// Of equals the last member of that name counts, as everywhere in JSON, but the first member that wraps a log.
    private func isBetter(_ rank: Rank) -> Bool {
        guard let found else { return true }
        return rank > found.rank || (rank == found.rank && (rank != .wrapped || member == found.member))
    }
}
