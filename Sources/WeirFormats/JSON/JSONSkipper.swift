/// Finds the end of an array's element that is not JSON, by its brackets and strings alone.
struct JSONSkipper: Sendable {
    /// What a piece of the text brought.
    enum Outcome: Equatable {
        /// The element goes on.
        case more
        /// The element ends before this byte, a comma or the end of the array.
        case end(Int)
        /// A bracket closes what the element did not open: where it ends cannot be told.
        case lost
    }

    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Begins at the first byte of the element; nil when no element begins with that byte.
    init?(from byte: UInt8) {
        if [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":")].contains(byte) { return nil }
    }

    /// Takes the bytes that follow, from the first one of the element on.
    mutating func skip(_ bytes: ArraySlice<UInt8>) -> Outcome {
        for (index, byte) in zip(bytes.indices, bytes) {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return byte == UInt8(ascii: "]") ? .end(index) : .lost }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return .end(index)
            default: break
            }
        }
        return .more
    }
}
