// The structure around the elements: commas, colons, names, and the brackets on the way to the array.
extension JSONArrayParser {
    /// Takes one byte, which is no white space.
    ///
    /// - Throws: What is fatal.
    @inline(__always)
    mutating func take(_ byte: UInt8, at place: Int, _ input: inout UnsafeRawBufferPointer) throws(StreamError) {
        // What nearly every byte between two elements is.
        if isInTarget {
            if expected == .commaOrEnd, byte == 0x2C {
                expected = .value
                return
            }
            if expected == .value, byte == 0x7B || byte == 0x5B {
                purpose = .element
                valueStart = place
                beginBrackets(isBrace: byte == 0x7B, at: place)
                return
            }
        }
        try takeOther(byte, at: place, &input)
    }

    @inline(never)
    private mutating func takeOther(
        _ byte: UInt8, at place: Int, _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) {
        switch expected {
        case .value, .valueOrEnd:
            if expected == .valueOrEnd, byte == 0x5D {
                try close(byte, at: place, &input)
            } else if path.isEmpty, isByteOrderMark(byte, at: place) {
                return
            } else {
                try beginValue(byte, at: place, &input)
            }
        case .name, .nameOrEnd:
            if byte == 0x22 {
                beginString(at: place, purpose: .name)
            } else if expected == .nameOrEnd, byte == 0x7D {
                try close(byte, at: place, &input)
            } else {
                throw fail(&input, .unexpectedByte(byte, expected: "a name in quotes"), at: place)
            }
        case .colon:
            guard byte == 0x3A else {
                throw fail(&input, .unexpectedByte(byte, expected: "a colon after the name"), at: place)
            }
            expected = .value
        case .commaOrEnd:
            try takeAfterValue(byte, at: place, &input)
        case .nothing:
            throw fail(&input, .bytesAfterEnd, at: place)
        case .failed:
            return
        }
    }

    private mutating func takeAfterValue(
        _ byte: UInt8, at place: Int, _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) {
        let isObject = path.last?.isObject ?? false
        switch byte {
        case 0x2C:
            expected = isObject ? .name : .value
            if !path.isEmpty { path[path.count - 1].position += 1 }
        case 0x5D, 0x7D:
            try close(byte, at: place, &input)
        case 0x3A:
            throw fail(
                &input, .unexpectedByte(byte, expected: "a comma or a closing bracket"), at: place)
        default:
            throw fail(&input, .missingComma, at: place)
        }
    }

    /// Closes the innermost container around.
    private mutating func close(
        _ byte: UInt8, at place: Int, _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) {
        guard let level = path.last, level.isObject == (byte == 0x7D) else {
            throw fail(&input, .mismatchedBracket(byte), at: place)
        }
        guard isFound else { throw fail(&input, .notFound(pointer: pointer.description), at: place) }
        path.removeLast()
        isInTarget = false
        expected = path.isEmpty ? .nothing : .commaOrEnd
    }

    private mutating func beginValue(
        _ byte: UInt8, at place: Int, _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) {
        switch byte {
        case 0x2C, 0x3A, 0x5D, 0x7D:
            throw fail(&input, .unexpectedByte(byte, expected: "a value"), at: place)
        default: break
        }
        guard isOnTheWay else {
            let purpose: Purpose = isInTarget ? .element : .skip
            switch byte {
            case 0x22: beginString(at: place, purpose: purpose)
            case 0x5B, 0x7B:
                self.purpose = purpose
                valueStart = place
                beginBrackets(isBrace: byte == 0x7B, at: place)
            default:
                self.purpose = purpose
                valueStart = place
                inside = .scalar
                expected = .commaOrEnd
            }
            return
        }
        if path.count == tokens.count {
            guard byte == 0x5B else { throw fail(&input, .notAnArray(pointer: pointer.description), at: place) }
            path.append(Level(isObject: false, isTarget: true))
            isFound = true
            isInTarget = true
            expected = .valueOrEnd
        } else {
            guard byte == 0x5B || byte == 0x7B else {
                throw fail(&input, .notFound(pointer: pointer.description), at: place)
            }
            path.append(Level(isObject: byte == 0x7B))
            expected = byte == 0x7B ? .nameOrEnd : .valueOrEnd
        }
    }

    /// Whether the value that begins is the array or a container around it.
    private var isOnTheWay: Bool {
        guard !isFound else { return false }
        guard let level = path.last else { return true }
        return level.isObject ? isNameSought : JSONPointer.index(tokens[path.count - 1]) == level.position
    }

    private mutating func isByteOrderMark(_ byte: UInt8, at place: Int) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard place == markCount, place < 3, byte == mark[place] else { return false }
        markCount += 1
        return true
    }

    private mutating func beginString(at place: Int, purpose: Purpose) {
        self.purpose = purpose
        valueStart = place
        inside = .string
        isEscaped = false
        expected = purpose == .name ? .colon : .commaOrEnd
    }

    @inline(__always)
    private mutating func beginBrackets(isBrace: Bool, at place: Int) {
        inside = .brackets
        expected = .commaOrEnd
        brackets.removeAll()
        if index.end <= place {
            // The structure around has no open string, so the scan can begin anew behind the bracket.
            strings = ByteKernels.StringState()
            index.restart(at: place &+ 1)
        }
        while let first = index.first, first <= place { index.removeFirst() }
        _ = brackets.open(isBrace: isBrace)
    }

    /// Drops the input for good.
    mutating func fail(
        _ input: inout UnsafeRawBufferPointer, _ reason: StreamError.Reason, at place: Int
    ) -> StreamError {
        consume(&input, input.count)
        expected = .failed
        inside = .none
        carry.removeAll()
        return StreamError(reason, offset: place)
    }
}
