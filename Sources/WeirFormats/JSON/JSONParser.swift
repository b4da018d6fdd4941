/// Reads one JSON value from bytes into a flat list of nodes, without recursion and without copying.
///
/// Strict by RFC 8259 but for the deviations of ``JSONOddities``, which are counted. The bytes must outlive the parser:
/// ``JSONDocument`` sees to that.
struct JSONParser {
    let bytes: UnsafeRawBufferPointer
    let depthLimit: Int
    /// Whether the bytes are a part of a text: the lines before them are not known, so that errors have no line.
    let isPart: Bool
    var position = 0
    let tape: JSONTape
    /// Whether the objects of the array may be pairs: not when one before was none.
    private var triesPairs = false
    var oddities = JSONOddities()

    private enum State {
        /// A value must follow.
        case value
        /// The first element of an array, or its end.
        case firstElement
        /// A further element; an end here means a trailing comma.
        case element
        /// The first key of an object, or its end.
        case firstKey
        /// A further key; an end here means a trailing comma.
        case key
        /// A value is complete.
        case afterValue
    }

    init(bytes: UnsafeRawBufferPointer, depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        isPart = false
        tape = JSONTape(capacity: min(bytes.count / 24, 1 << 20))
    }

    /// Makes a parser for values inside a part of a text, one after the other.
    ///
    /// - Parameter tape: An empty tape.
    init(part bytes: UnsafeRawBufferPointer, from position: Int, depthLimit: Int, tape: JSONTape) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        self.position = position
        isPart = true
        self.tape = tape
    }

    /// Parses the whole text.
    mutating func parse() throws(JSONError) {
        try skipByteOrderMark()
        skipWhiteSpace()
        let isCall = skipCallOpening()
        try parseValue()
        skipWhiteSpace()
        if isCall {
            guard peek() == UInt8(ascii: ")") else { throw error(.expected("`)`", found: peek())) }
            position += 1
            skipWhiteSpace()
            if peek() == UInt8(ascii: ";") { position += 1 }
            skipWhiteSpace()
        }
        guard position == bytes.count else { throw error(.trailingText) }
    }

    /// What became of an attempt to parse a value in a part of a text.
    enum Attempt {
        /// The value, by its place in the tape; the position is after it.
        case value(Int)
        /// The part ends before the value does; nothing has changed.
        case incomplete
        /// It is no value; nothing has changed.
        case malformed(JSONError)
    }

    /// Parses the value at the position.
    ///
    /// - Parameter isLast: Whether nothing follows the bytes, so that what is incomplete is malformed.
    mutating func attempt(isLast: Bool) -> Attempt {
        let start = (position: position, root: tape.count, oddities: oddities)
        let problem: JSONError
        do throws(JSONError) {
            try parseValue()
            // A number or a word at the end may go on.
            if isLast || position < bytes.count || tape[start.root].isDelimited { return .value(start.root) }
            problem = error(.expected("a value", found: nil))
        } catch {
            problem = error
        }
        position = start.position
        JSONTape.Writer(tape).end(at: start.root)
        oddities = start.oddities
        return isLast || !isCutOff(at: problem.offset) ? .malformed(problem) : .incomplete
    }

    /// Whether what is wrong at a place may be right when more bytes follow: nothing but one number or word is there.
    private func isCutOff(at offset: Int) -> Bool {
        bytes[offset...].allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2B || byte == 0x2D || byte == 0x2E
        }
    }

    /// Parses the value at the position, and passes over the white space after it.
    private mutating func parseValue() throws(JSONError) {
        // What is looked at for every byte is held in variables, which are registers, and not in the parser.
        guard let start = bytes.baseAddress else { throw error(.expected("a value", found: nil)) }
        // There are fewer nodes than bytes.
        guard bytes.count < JSONNode.limit else { throw error(.tooLarge) }
        let count = bytes.count
        var writer = JSONTape.Writer(tape)
        defer { writer.end() }
        var i = position
        var state = State.value
        // The innermost open array or object; while it is open, its `next` is one more than the place of the one around it.
        var container = -1
        var depth = 0
        var isObject = false

        while true {
            var byte: UInt8 = i < count ? start.load(fromByteOffset: i, as: UInt8.self) : 0
            if byte <= 0x20 {
                i = Self.blanksEnd(start, i, count)
                byte = i < count ? start.load(fromByteOffset: i, as: UInt8.self) : 0
            }
            switch state {
            case .value, .firstElement, .element:
                switch byte {
                case UInt8(ascii: "\""):
                    let node = try stringNode(start, i, next: writer.count + 1)
                    writer.append(node)
                    i = node.end + 1
                    state = .afterValue
                case UInt8(ascii: "{"):
                    if triesPairs, state != .value {
                        if depth < depthLimit, let pair = pair(at: i) {
                            writer.append(pair, at: i)
                            i = pair.end
                            state = .afterValue
                            continue
                        }
                        triesPairs = false
                    }
                    try checkDepth(depth, at: i)
                    writer.open(.object, in: container, at: i)
                    container = writer.count - 1
                    depth += 1
                    isObject = true
                    i += 1
                    state = .firstKey
                case UInt8(ascii: "["):
                    try checkDepth(depth, at: i)
                    writer.open(.array, in: container, at: i)
                    container = writer.count - 1
                    depth += 1
                    isObject = false
                    triesPairs = true
                    i += 1
                    state = .firstElement
                case UInt8(ascii: "]") where state != .value:
                    if state == .element { oddities.note(.trailingComma, at: i) }
                    i += 1
                    container = writer.close(container, end: i)
                    depth -= 1
                    isObject = container >= 0 && writer[container].kind == .object
                    state = .afterValue
                default:
                    position = i
                    let kind = try skipScalar()
                    let next = UInt32(truncatingIfNeeded: writer.count + 1)
                    writer.append(JSONNode(start: i, end: position, next: next, kind: kind))
                    i = position
                    state = .afterValue
                }
            case .firstKey, .key:
                switch byte {
                case UInt8(ascii: "\""):
                    let node = try stringNode(start, i, next: writer.count + 1)
                    writer.append(node)
                    i = node.end + 1
                    if i >= count || start.load(fromByteOffset: i, as: UInt8.self) != UInt8(ascii: ":") {
                        i = Self.blanksEnd(start, i, count)
                        guard i < count, start.load(fromByteOffset: i, as: UInt8.self) == UInt8(ascii: ":") else {
                            position = i
                            throw error(.expected("a colon", found: peek()))
                        }
                    }
                    i += 1
                    state = .value
                case UInt8(ascii: "}"):
                    if state == .key { oddities.note(.trailingComma, at: i) }
                    i += 1
                    container = writer.close(container, end: i)
                    depth -= 1
                    isObject = container >= 0 && writer[container].kind == .object
                    state = .afterValue
                default:
                    position = i
                    let what = state == .key ? "a string as the next key" : "a string as the first key"
                    throw error(.expected(what, found: peek()))
                }
            case .afterValue:
                if container < 0 {
                    position = i
                    return
                }
                if byte == UInt8(ascii: ",") {
                    i += 1
                    state = isObject ? .key : .element
                } else if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    i += 1
                    container = writer.close(container, end: i)
                    depth -= 1
                    isObject = container >= 0 && writer[container].kind == .object
                } else {
                    position = i
                    let what = isObject ? "a comma or the end of the object" : "a comma or the end of the array"
                    throw error(.expected(what, found: peek()))
                }
            }
        }
    }

    private mutating func checkDepth(_ depth: Int, at i: Int) throws(JSONError) {
        guard depth < depthLimit else {
            position = i
            throw error(.tooDeep(limit: depthLimit))
        }
    }

    /// The node of the string whose opening quote is at a place.
    @inline(__always)
    private mutating func stringNode(_ start: UnsafeRawPointer, _ i: Int, next: Int) throws(JSONError) -> JSONNode {
        // Most strings are short, all ASCII and without an escape.
        var end = i + 1
        var isEscaped = false
        let last = min(bytes.count, end + 64) - 16
        while true {
            guard end <= last else {
                isEscaped = try skipString(start: i, from: end)
                end = position - 1
                break
            }
            let marks = JSONMasks.marked(start.loadUnaligned(fromByteOffset: end, as: SIMD16<UInt8>.self))
            if marks == 0 {
                end += 16
                continue
            }
            end += marks.trailingZeroBitCount
            if start.load(fromByteOffset: end, as: UInt8.self) == UInt8(ascii: "\"") { break }
            isEscaped = try skipString(start: i, from: end)
            end = position - 1
            break
        }
        return JSONNode(
            start: i + 1, end: end, next: UInt32(truncatingIfNeeded: next), kind: .string, isEscaped: isEscaped)
    }

    /// Passes over a number or a word.
    private mutating func skipScalar() throws(JSONError) -> JSONNode.Kind {
        guard let byte = peek() else { throw error(.expected("a value", found: nil)) }
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try skipNumber()
        case UInt8(ascii: "t") where take("true"): return .true
        case UInt8(ascii: "f") where take("false"): return .false
        case UInt8(ascii: "n") where take("null"): return .null
        case UInt8(ascii: "N") where take("NaN"):
            oddities.note(.nonFiniteNumber, at: position - 3)
            return .null
        case UInt8(ascii: "I") where take("Infinity"):
            oddities.note(.nonFiniteNumber, at: position - 8)
            return .null
        default: throw error(.expected("a value", found: byte))
        }
    }

    /// number = [ minus ] int [ frac ] [ exp ], RFC 8259, section 6.
    private mutating func skipNumber() throws(JSONError) -> JSONNode.Kind {
        let start = position
        if peek() == UInt8(ascii: "-") {
            position += 1
            if take("Infinity") {
                oddities.note(.nonFiniteNumber, at: start)
                return .null
            }
        }
        let isZero = peek() == UInt8(ascii: "0")
        guard let digits = skipDigits(), !isZero || digits == 1 else {
            position = start
            throw error(.malformedNumber)
        }
        if peek() == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() != nil else {
                position = start
                throw error(.malformedNumber)
            }
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() != nil else {
                position = start
                throw error(.malformedNumber)
            }
        }
        return .number
    }

    // MARK: Bytes

    @inline(__always)
    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ problem: JSONError.Problem) -> JSONError {
        isPart
            ? JSONError(problem, offset: position, line: 1, column: 1) : JSONError(problem, at: position, in: bytes)
    }

    @inline(__always)
    private mutating func skipDigits() -> Int? {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        return position > start ? position - start : nil
    }

    @inline(__always)
    private mutating func take(_ word: StaticString) -> Bool {
        guard position + word.utf8CodeUnitCount <= bytes.count else { return false }
        for i in 0..<word.utf8CodeUnitCount where bytes[position + i] != word.utf8Start[i] { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    @inline(__always)
    mutating func skipWhiteSpace() {
        if position < bytes.count, bytes[position] > 0x20 { return }
        skipBlanks()
    }

    private mutating func skipBlanks() {
        guard let start = bytes.baseAddress else { return }
        position = Self.blanksEnd(start, position, bytes.count)
    }

    /// The place after white space.
    @inline(__always)
    private static func blanksEnd(_ start: UnsafeRawPointer, _ place: Int, _ count: Int) -> Int {
        var i = place
        while i < count {
            switch start.load(fromByteOffset: i, as: UInt8.self) {
            case 0x20, 0x0A, 0x0D, 0x09: i += 1
            default: return i
            }
            // Indentation: eight blanks at a time.
            while i + 8 <= count, start.loadUnaligned(fromByteOffset: i, as: UInt64.self) == 0x2020_2020_2020_2020 {
                i += 8
            }
        }
        return i
    }

    private mutating func skipByteOrderMark() throws(JSONError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            oddities.note(.byteOrderMark, at: 0)
            position = 3
        } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || (bytes.count > 1 && (bytes[0] == 0 || bytes[1] == 0))
        {
            throw error(.notUTF8)
        }
    }

    /// Skips `name(` of a script call around the value, as JSONP has it.
    private mutating func skipCallOpening() -> Bool {
        var end = position
        while end < bytes.count, isNameByte(bytes[end]) { end += 1 }
        guard end > position else { return false }
        while end < bytes.count, bytes[end] == 0x20 { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "(") else { return false }
        oddities.note(.scriptCall, at: position)
        position = end + 1
        return true
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F || byte == 0x24 || byte == 0x2E
    }
}
