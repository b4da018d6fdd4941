// From text to nodes, in one pass. Strings are passed over eight or sixteen bytes at a time; what is in them, and in numbers, is
// looked at when it is decoded, as `JSONDecoder` does.
extension JSONDocument {
    /// Finds the text's values.
    func scan() throws(StreamingJSONDecoder.SyntaxError) {
        var scanner = JSONDocumentScanner(memory)
        try scanner.scan()
    }
}

/// The state of a scan.
struct JSONDocumentScanner {
    private typealias Node = JSONDocument.Node

    private let memory: UnsafeMutablePointer<JSONDocument.Memory>
    private let text: UnsafePointer<UInt8>
    private let count: Int
    private var nodes: UnsafeMutablePointer<JSONDocument.Node>
    private var nodeCount = 0
    private var nodeCapacity: Int
    private var position = 0

    /// The container that is open; 0 at the top.
    private var container: UInt32 = 0
    private var isObject = false
    private var depth = 0
    /// How many values of the container there were.
    private var ordinal: UInt32 = 0
    /// Two bits for each signature that a key of the object may have had.
    private var signatures: UInt64 = 0

    init(_ memory: UnsafeMutablePointer<JSONDocument.Memory>) {
        self.memory = memory
        text = UnsafePointer(memory.pointee.text.assumingMemoryBound(to: UInt8.self))
        count = memory.pointee.count
        nodes = memory.pointee.nodes
        nodeCapacity = memory.pointee.nodeCapacity
    }

    mutating func scan() throws(StreamingJSONDecoder.SyntaxError) {
        defer { memory.pointee.nodeCount = nodeCount }
        append(.null, start: 0, length: 0)
        ordinal = 0
        // All in one function, and each step in one place of it: what is called by name may not be inlined, and the state then goes through
        // memory at each value.
        value: while true {
            if isObject { try takeKey() }
            let byte = skipSpace()
            switch byte {
            case 0x22:
                let start = position &+ 1
                let isSpecial = try skipString()
                append(.string, start: start, length: position &- 1 &- start, isSpecial: isSpecial)
            case 0x30...0x39, 0x2D:
                let start = position
                skipNumber()
                append(.number, start: start, length: position &- start)
            case 0x7B, 0x5B:
                try open(byte)
                guard skipSpace() == byte &+ 2 else { continue value }
                position &+= 1
                close()
            case 0x74: try takeLiteral(0x6575_7274, 4, .yes)
            case 0x66: try takeLiteral(0x6573_6C61, 5, .no)
            case 0x6E: try takeLiteral(0x6C6C_756E, 4, .null)
            default: throw unexpected()
            }
            // What follows a value: commas and closing brackets.
            while container != 0 {
                let closing: UInt8 = isObject ? 0x7D : 0x5D
                var next = skipSpace()
                if next == 0x2C {
                    position &+= 1
                    next = skipSpace()
                    if next != closing { continue value }
                }
                guard next == closing else { throw unexpected() }
                position &+= 1
                close()
            }
            break
        }
        _ = skipSpace()
        if position < count { throw unexpected() }
    }

    /// The byte behind white space; 0 at the end of the text.
    @inline(__always)
    private mutating func skipSpace() -> UInt8 {
        var byte = text[position]
        while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position &+= 1
            byte = text[position]
        }
        return byte
    }

    @inline(__always)
    private mutating func append(
        _ kind: JSONDocument.Kind, start: Int, length: Int, isSpecial: Bool = false
    ) {
        if nodeCount == nodeCapacity {
            nodes = Self.grow(memory, nodeCount)
            nodeCapacity &*= 2
        }
        nodes[nodeCount] = Node(
            start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: length),
            next: UInt32(truncatingIfNeeded: nodeCount &+ 1), parent: container, ordinal: ordinal, kind: kind,
            isSpecial: isSpecial, isConverted: false)
        nodeCount &+= 1
        ordinal &+= 1
    }

    /// Doubles the room for nodes.
    ///
    /// Slow ways are not `mutating`, so that the state stays in registers.
    @inline(never)
    private static func grow(
        _ memory: UnsafeMutablePointer<JSONDocument.Memory>, _ count: Int
    ) -> UnsafeMutablePointer<JSONDocument.Node> {
        let old = memory.pointee.nodes
        let grown = UnsafeMutablePointer<Node>.allocate(capacity: count * 2)
        grown.moveInitialize(from: old, count: count)
        old.deallocate()
        memory.pointee.nodes = grown
        memory.pointee.nodeCapacity = count * 2
        return grown
    }

    @inline(never)
    private func unexpected() -> StreamingJSONDecoder.SyntaxError { unexpected(at: position) }

    private func unexpected(at place: Int) -> StreamingJSONDecoder.SyntaxError {
        place < count
            ? StreamingJSONDecoder.SyntaxError(.unexpectedByte(text[place]), offset: place)
            : StreamingJSONDecoder.SyntaxError(.unexpectedEnd, offset: count)
    }
}

// Containers.
extension JSONDocumentScanner {
    @inline(__always)
    private mutating func open(_ byte: UInt8) throws(StreamingJSONDecoder.SyntaxError) {
        guard depth < JSONDocument.depthLimit else {
            throw StreamingJSONDecoder.SyntaxError(.tooDeep(limit: JSONDocument.depthLimit), offset: position)
        }
        depth &+= 1
        if isObject {
            // Fields that the object does not need before it is closed.
            nodes[Int(container)].start = UInt32(truncatingIfNeeded: signatures)
            nodes[Int(container)].next = UInt32(truncatingIfNeeded: signatures &>> 32)
        }
        append(byte == 0x7B ? .object : .array, start: position, length: 0)
        container = UInt32(truncatingIfNeeded: nodeCount &- 1)
        isObject = byte == 0x7B
        ordinal = 0
        signatures = 0
        position &+= 1
    }

    @inline(__always)
    private mutating func close() {
        let place = Int(container)
        nodes[place].length = ordinal
        nodes[place].next = UInt32(truncatingIfNeeded: nodeCount)
        depth &-= 1
        ordinal = nodes[place].ordinal &+ 1
        container = nodes[place].parent
        isObject = container != 0 && nodes[Int(container)].kind == .object
        if isObject {
            let outer = nodes[Int(container)]
            signatures = UInt64(outer.next) &<< 32 | UInt64(outer.start)
        }
    }

    /// Takes a key and the colon behind it.
    @inline(__always)
    private mutating func takeKey() throws(StreamingJSONDecoder.SyntaxError) {
        guard text[position] == 0x22 else { throw unexpected() }
        let start = position &+ 1
        let isSpecial = try skipString()
        let length = position &- 1 &- start
        let signature = sign(start, length)
        // Two bits, since one of 64 would be shared by some of ten keys.
        let bits = (1 as UInt64) &<< UInt64(signature &>> 26) | (1 as UInt64) &<< UInt64(signature &>> 20 & 63)
        if isSpecial || ordinal >= 64 || (signatures & bits == bits && hasKey(signature)) {
            nodes[Int(container)].isSpecial = true
        }
        signatures |= bits
        append(.string, start: start, length: length, isSpecial: isSpecial)
        nodes[nodeCount &- 1].next = signature
        ordinal &-= 1
        guard skipSpace() == 0x3A else { throw unexpected() }
        position &+= 1
    }

    /// A number that differs for nearly all keys, and is the same for the same bytes.
    @inline(__always)
    private func sign(_ start: Int, _ length: Int) -> UInt32 {
        let key = UnsafeRawPointer(text + start)
        // The text is followed by bytes that may be read.
        var word = UInt64(littleEndian: key.loadUnaligned(as: UInt64.self))
        if length < 8 {
            word &= (1 &<< UInt64(truncatingIfNeeded: length &* 8)) &- 1
        } else {
            let last = UInt64(littleEndian: key.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self))
            word ^= (last &<< 17) | (last &>> 47)
        }
        word = (word ^ UInt64(truncatingIfNeeded: length)) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: word &>> 32)
    }

    /// Whether the object has had a key with a signature.
    @inline(never)
    private func hasKey(_ signature: UInt32) -> Bool {
        // Beyond so many, keys have an index anyway.
        guard !nodes[Int(container)].isSpecial else { return true }
        var key = Int(container) &+ 1
        while key < nodeCount {
            if nodes[key].next == signature { return true }
            key = Int(nodes[key &+ 1].next)
        }
        return false
    }
}

// Values.
extension JSONDocumentScanner {
    /// Passes over a string, from its first quote to behind its last one.
    ///
    /// - Returns: Whether it has an escape, a control character or a byte that is not ASCII.
    @inline(__always)
    private mutating func skipString() throws(StreamingJSONDecoder.SyntaxError) -> Bool {
        let start = UnsafeRawPointer(text + position + 1)
        var end = Self.firstEnd(start)
        // Most keys are shorter than 16 bytes, and most values than 32.
        if end >= 16 { end = 16 &+ Self.firstEnd(start + 16) }
        if end < 32, start.load(fromByteOffset: end, as: UInt8.self) == 0x22 {
            position &+= end &+ 2
            return false
        }
        let (longEnd, isSpecial) = try endOfLongString(from: position &+ 1)
        position = longEnd
        return isSpecial
    }

    /// Which of 16 bytes is the first quote, backslash, control character or not ASCII; 16 or more if none of them is.
    ///
    /// The text is followed by zeros, so that the second 16 bytes are read only when the first were text.
    @inline(__always)
    private static func firstEnd(_ start: UnsafeRawPointer) -> Int {
        #if DEBUG
        let first = ends(start.loadUnaligned(as: UInt64.self))
        if first != 0 { return first.trailingZeroBitCount &>> 3 }
        let second = ends(start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        return 8 &+ (second.trailingZeroBitCount &>> 3)
        #else
        let v = start.loadUnaligned(as: SIMD16<Int8>.self)
        // As signed numbers, control characters and all that is not ASCII are less than a space.
        let mask =
            (v .== SIMD16<Int8>(repeating: 0x22)) .| (v .== SIMD16<Int8>(repeating: 0x5C))
            .| (v .< SIMD16<Int8>(repeating: 0x20))
        return ByteKernels.firstLane(ByteKernels.lanes(mask))
        #endif
    }

    /// The high bits of bytes that are a quote, a backslash, a control character or not ASCII; right up to the first of them.
    @inline(__always)
    private static func ends(_ word: UInt64) -> UInt64 {
        let word = UInt64(littleEndian: word)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        return ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) | word)
            & (ones &* 0x80)
    }

    /// Passes over a string that is long, or has what is not plain.
    @inline(never)
    private func endOfLongString(
        from start: Int
    ) throws(StreamingJSONDecoder.SyntaxError) -> (end: Int, isSpecial: Bool) {
        var isSpecial = false
        var place = start
        while true {
            place = skipPlain(from: place, &isSpecial)
            guard place < count else { break }
            switch text[place] {
            case 0x22:
                return (place &+ 1, isSpecial)
            case 0x5C:
                isSpecial = true
                guard place &+ 1 < count else { throw StreamingJSONDecoder.SyntaxError(.unexpectedEnd, offset: count) }
                guard text[place &+ 1] == 0x75 else {
                    place &+= 2
                    continue
                }
                // The digits are looked at when the string is; a quote among them is told at once.
                guard place &+ 6 <= count else { throw StreamingJSONDecoder.SyntaxError(.unexpectedEnd, offset: count) }
                for digit in place &+ 2..<place &+ 6 where text[digit] == 0x22 {
                    throw StreamingJSONDecoder.SyntaxError(.invalidEscape, offset: place)
                }
                place &+= 6
            default:
                isSpecial = true
                place &+= 1
            }
        }
        throw StreamingJSONDecoder.SyntaxError(.unexpectedEnd, offset: count)
    }

    /// The first quote, backslash or control character, or the end of the text, which a zero follows.
    @inline(__always)
    private func skipPlain(from start: Int, _ isSpecial: inout Bool) -> Int {
        var place = start
        #if !DEBUG
        let quote = SIMD16<UInt8>(repeating: 0x22)
        let backslash = SIMD16<UInt8>(repeating: 0x5C)
        let control = SIMD16<UInt8>(repeating: 0x20)
        let ascii = SIMD16<UInt8>(repeating: 0x80)
        var others = SIMD16<UInt8>(repeating: 0)
        while place < count {
            // Behind the text there is room to read a block.
            let v = UnsafeRawPointer(text + place).loadUnaligned(as: SIMD16<UInt8>.self)
            let m = unsafeBitCast((v .== quote) .| (v .== backslash) .| (v .< control), to: SIMD2<UInt64>.self)
            if (m[0] | m[1]) != 0 { break }
            others |= v
            place &+= 16
        }
        let high = unsafeBitCast(others & ascii, to: SIMD2<UInt64>.self)
        if (high[0] | high[1]) != 0 { isSpecial = true }
        #endif
        while place < count {
            let found = Self.ends(UnsafeRawPointer(text + place).loadUnaligned(as: UInt64.self))
            guard found != 0 else {
                place &+= 8
                continue
            }
            place &+= found.trailingZeroBitCount &>> 3
            let byte = text[place]
            if byte < 0x80 { return place }
            isSpecial = true
            place &+= 1
        }
        return count
    }

    /// Passes over what may be a number; whether it is one is looked at when it is decoded.
    @inline(__always)
    private mutating func skipNumber() {
        var place = position &+ 1
        #if !DEBUG
        while true {
            // Behind the text there are zeros, which are no number.
            let v = UnsafeRawPointer(text + place).loadUnaligned(as: SIMD16<UInt8>.self)
            let digits = (v &- SIMD16<UInt8>(repeating: 0x30)) .< SIMD16<UInt8>(repeating: 10)
            let signs = (v .== SIMD16<UInt8>(repeating: 0x2D)) .| (v .== SIMD16<UInt8>(repeating: 0x2B))
            let marks =
                (v .== SIMD16<UInt8>(repeating: 0x2E))
                .| ((v | SIMD16<UInt8>(repeating: 0x20)) .== SIMD16<UInt8>(repeating: 0x65))
            let others = ~ByteKernels.lanes(digits .| signs .| marks)
            let found = ByteKernels.firstLane(others)
            if found < 16 {
                position = place &+ found
                return
            }
            place &+= 16
        }
        #else
        while true {
            let byte = text[place]
            guard byte &- 0x30 < 10 || byte == 0x2E || byte == 0x2D || byte == 0x2B || byte | 0x20 == 0x65 else {
                break
            }
            place &+= 1
        }
        position = place
        #endif
    }

    @inline(__always)
    private mutating func takeLiteral(
        _ word: UInt32, _ length: Int, _ kind: JSONDocument.Kind
    ) throws(StreamingJSONDecoder.SyntaxError) {
        // Of `false` the last four bytes.
        let place = position &+ length &- 4
        let found = UInt32(littleEndian: UnsafeRawPointer(text + place).loadUnaligned(as: UInt32.self))
        guard found == word else { throw wrongLiteral(kind) }
        append(kind, start: position, length: length)
        position &+= length
    }

    @inline(never)
    private func wrongLiteral(_ kind: JSONDocument.Kind) -> StreamingJSONDecoder.SyntaxError {
        let literal: StaticString =
            switch kind {
            case .yes: "true"
            case .no: "false"
            default: "null"
            }
        var index = 0
        while index < literal.utf8CodeUnitCount, text[position &+ index] == literal.utf8Start[index] { index += 1 }
        return unexpected(at: position &+ index)
    }
}
