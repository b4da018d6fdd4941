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
    private(set) var tape: [JSONNode] = []
    /// Whether the objects of the array may be pairs: not when one before was none.
    private var triesPairs = false
    var oddities = JSONOddities()
    /// The places in the tape of the open arrays and objects.
    private var open: [Int] = []

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
        tape.reserveCapacity(min(bytes.count / 24, 1 << 20))
    }

    /// Makes a parser for values inside a part of a text, one after the other.
    init(part bytes: UnsafeRawBufferPointer, from position: Int, depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        self.position = position
        isPart = true
        tape.reserveCapacity((bytes.count - position) / 16)
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
        tape.removeLast(tape.count - start.root)
        oddities = start.oddities
        open.removeAll(keepingCapacity: true)
        return isLast || !isCutOff(at: problem.offset) ? .malformed(problem) : .incomplete
    }

    /// Whether what is wrong at a place may be right when more bytes follow: nothing but one number or word is there.
    private func isCutOff(at offset: Int) -> Bool {
        bytes[offset...].allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2B || byte == 0x2D || byte == 0x2E
        }
    }

    private mutating func parseValue() throws(JSONError) {
        var state = State.value
        while true {
            skipWhiteSpace()
            switch state {
            case .value, .firstElement, .element: state = try parseElement(state)
            case .firstKey, .key: state = try parseKey(state)
            case .afterValue:
                guard let container = open.last else { return }
                let isObject = tape[container].kind == .object
                switch peek() {
                case UInt8(ascii: ","):
                    position += 1
                    state = isObject ? .key : .element
                case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject: close(container)
                case let byte:
                    let what = isObject ? "a comma or the end of the object" : "a comma or the end of the array"
                    throw error(.expected(what, found: byte))
                }
            }
        }
    }

    @inline(__always)
    private mutating func parseElement(_ state: State) throws(JSONError) -> State {
        guard let byte = peek() else { throw error(.expected("a value", found: nil)) }
        switch byte {
        case UInt8(ascii: "\""): try appendString()
        case UInt8(ascii: "{"):
            if triesPairs, state != .value, try appendPair() { return .afterValue }
            try openContainer(.object)
            return .firstKey
        case UInt8(ascii: "["):
            try openContainer(.array)
            triesPairs = true
            return .firstElement
        case UInt8(ascii: "]") where state != .value:
            if state == .element { oddities.note(.trailingComma, at: position) }
            if let container = open.last { close(container) }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try appendNumber()
        case UInt8(ascii: "t") where take("true"): try append(.true, length: 4)
        case UInt8(ascii: "f") where take("false"): try append(.false, length: 5)
        case UInt8(ascii: "n") where take("null"): try append(.null, length: 4)
        case UInt8(ascii: "N") where take("NaN"):
            oddities.note(.nonFiniteNumber, at: position - 3)
            try append(.null, length: 3)
        case UInt8(ascii: "I") where take("Infinity"):
            oddities.note(.nonFiniteNumber, at: position - 8)
            try append(.null, length: 8)
        default: throw error(.expected("a value", found: byte))
        }
        return .afterValue
    }

    @inline(__always)
    private mutating func parseKey(_ state: State) throws(JSONError) -> State {
        switch peek() {
        case UInt8(ascii: "\""):
            try appendString()
            skipWhiteSpace()
            guard peek() == UInt8(ascii: ":") else { throw error(.expected("a colon", found: peek())) }
            position += 1
            return .value
        case UInt8(ascii: "}"):
            if state == .key { oddities.note(.trailingComma, at: position) }
            if let container = open.last { close(container) }
            return .afterValue
        case let byte:
            let what = state == .key ? "a string as the next key" : "a string as the first key"
            throw error(.expected(what, found: byte))
        }
    }

    // MARK: Pairs

    /// Takes `{"name": "...", "value": "..."}` at once, as header fields and parameters are written: no other values are as
    /// many in an archive.
    ///
    /// - Returns: Whether it was one, in ASCII and without an escape; where not, nothing has changed.
    @inline(__always)
    private mutating func appendPair() throws(JSONError) -> Bool {
        guard open.count < depthLimit, let pair = pair(at: position) else {
            triesPairs = false
            return false
        }
        let next = tape.count
        func place(_ offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: next + offset) }
        try appendNode(JSONNode(start: position, end: pair.end, next: place(5), kind: .object))
        try appendNode(JSONNode(start: pair.nameKey, end: pair.nameKey + 4, next: place(2), kind: .string))
        try appendNode(JSONNode(start: pair.name.lowerBound, end: pair.name.upperBound, next: place(3), kind: .string))
        try appendNode(JSONNode(start: pair.valueKey, end: pair.valueKey + 5, next: place(4), kind: .string))
        try appendNode(
            JSONNode(start: pair.value.lowerBound, end: pair.value.upperBound, next: place(5), kind: .string))
        position = pair.end
        return true
    }

    // MARK: Nodes

    @inline(__always)
    private mutating func appendNode(_ node: JSONNode) throws(JSONError) {
        guard tape.count < Int(UInt32.max) - 1, bytes.count <= JSONNode.limit else { throw error(.tooLarge) }
        tape.append(node)
    }

    @inline(__always)
    private mutating func append(_ kind: JSONNode.Kind, length: Int) throws(JSONError) {
        let next = UInt32(truncatingIfNeeded: tape.count + 1)
        try appendNode(JSONNode(start: position - length, end: position, next: next, kind: kind))
    }

    private mutating func openContainer(_ kind: JSONNode.Kind) throws(JSONError) {
        guard open.count < depthLimit else { throw error(.tooDeep(limit: depthLimit)) }
        open.append(tape.count)
        try appendNode(JSONNode(start: position, end: position, next: 0, kind: kind))
        position += 1
    }

    private mutating func close(_ container: Int) {
        position += 1
        tape[container].end = position
        tape[container].next = UInt32(truncatingIfNeeded: tape.count)
        open.removeLast()
    }

    @inline(__always)
    private mutating func appendString() throws(JSONError) {
        let start = position + 1
        let isEscaped = skipShortString() ? false : try skipString()
        try appendNode(
            JSONNode(
                start: start, end: position - 1, next: UInt32(truncatingIfNeeded: tape.count + 1), kind: .string,
                isEscaped: isEscaped))
    }

    /// number = [ minus ] int [ frac ] [ exp ], RFC 8259, section 6.
    private mutating func appendNumber() throws(JSONError) {
        let start = position
        if peek() == UInt8(ascii: "-") {
            position += 1
            if take("Infinity") {
                oddities.note(.nonFiniteNumber, at: start)
                try append(.null, length: 9)
                return
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
        try append(.number, length: position - start)
    }

    // MARK: Bytes

    @inline(__always)
    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ problem: JSONError.Problem) -> JSONError {
        isPart
            ? JSONError(problem, offset: position, line: 1, column: 1) : JSONError(problem, at: position, in: bytes)
    }

    private mutating func skipDigits() -> Int? {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        return position > start ? position - start : nil
    }

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
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
            // Indentation: eight blanks at a time.
            while position + 8 <= bytes.count,
                bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) == 0x2020_2020_2020_2020
            {
                position += 8
            }
        }
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
