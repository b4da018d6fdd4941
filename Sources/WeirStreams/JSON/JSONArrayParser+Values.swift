// The values: where they end, and what becomes of them.
extension JSONArrayParser {
    mutating func consume(_ input: inout UnsafeRawBufferPointer, _ count: Int) {
        offset &+= count
        input = UnsafeRawBufferPointer(
            start: input.baseAddress.map { $0 + count }, count: input.count &- count)
    }

    /// Passes over brackets by what the kernel found.
    ///
    /// - Returns: The position behind the last one, or nil when it is not in the input.
    @inline(__always)
    mutating func endOfBrackets(_ input: inout UnsafeRawBufferPointer) throws(StreamError) -> Int? {
        guard let base = input.baseAddress else { return nil }
        let last = min(valueStart &+ limit, offset &+ input.count &- 1)
        while true {
            if purpose == .element { brackets.takePlain(&index, base, at: offset, last: last) }
            guard let place = index.first else {
                guard
                    index.scan(
                        input, at: offset,
                        { ByteKernels.brackets(in: $0, count: $1, state: &strings, into: $2) })
                else { return nil }
                continue
            }
            let position = place &- offset
            // A caller that has cut the piece short since it was scanned.
            guard position >= 0, position < input.count else { return nil }
            if place &- valueStart > limit, purpose == .element {
                // Said here, so that it comes before what the next bracket may be, as it would in smaller pieces.
                purpose = .skip
                carry.removeAll()
                consume(&input, position)
                throw StreamError(.messageTooLarge(limit: limit), offset: valueStart)
            }
            index.removeFirst()
            let byte = base.load(fromByteOffset: position, as: UInt8.self)
            switch byte {
            case 0x7B, 0x5B:
                if brackets.open(isBrace: byte == 0x7B) || purpose != .element { continue }
                purpose = .skip
                carry.removeAll()
                consume(&input, position &+ 1)
                throw StreamError(.tooDeep(limit: depthLimit), offset: valueStart)
            case 0x7D, 0x5D:
                guard brackets.close(isBrace: byte == 0x7D) else {
                    throw fail(&input, .mismatchedBracket(byte), at: place)
                }
                if brackets.depth == 0 { return position &+ 1 }
            default: continue
            }
        }
    }

    /// The position behind the quote that ends a string, or nil when it is not in the input.
    mutating func endOfString(_ input: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = input.baseAddress else { return nil }
        var position = start
        if isEscaped, position < input.count {
            isEscaped = false
            position &+= 1
        }
        while position < input.count {
            guard
                let found = ByteKernels.firstOffset(
                    of: 0x22, or: 0x5C, in: base + position, count: input.count &- position)
            else { return nil }
            position &+= found
            if base.load(fromByteOffset: position, as: UInt8.self) == 0x22 { return position &+ 1 }
            position &+= 2
        }
        isEscaped = position > input.count
        return nil
    }

    /// The position behind a number or literal, or nil when it is not in the input.
    func endOfScalar(_ input: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = input.baseAddress else { return nil }
        var position = start
        while position < input.count {
            switch base.load(fromByteOffset: position, as: UInt8.self) {
            case 0x20, 0x0A, 0x0D, 0x09, 0x22, 0x2C, 0x3A, 0x5B, 0x5D, 0x7B, 0x7D: return position
            default: position &+= 1
            }
        }
        return nil
    }

    /// Ends a value.
    ///
    /// - Parameter end: The position behind it; on return of an element, the input begins there.
    /// - Returns: The element, if it is one.
    @inline(__always)
    mutating func endValue(
        _ input: inout UnsafeRawBufferPointer, _ end: Int
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        inside = .none
        if purpose == .skip { return nil }
        if purpose == .element, carry.isEmpty, let base = input.baseAddress {
            let start = valueStart &- offset
            let element = UnsafeRawBufferPointer(start: base + start, count: end &- start)
            messageOffset = valueStart
            offset &+= end
            input = UnsafeRawBufferPointer(start: base + end, count: input.count &- end)
            if element.count > limit { throw StreamError(.messageTooLarge(limit: limit), offset: valueStart) }
            return element
        }
        return try endOther(&input, end)
    }

    /// Ends a name, or an element that began in an earlier piece.
    @inline(never)
    private mutating func endOther(
        _ input: inout UnsafeRawBufferPointer, _ end: Int
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        let start = max(valueStart &- offset, 0)
        let piece = UnsafeRawBufferPointer(rebasing: input[start..<end])
        let isTooLarge = purpose != .longName && carry.count &+ piece.count > limit
        if isTooLarge {
            carry.removeAll()
            isNameSought = false
            consume(&input, end)
            throw StreamError(.messageTooLarge(limit: limit), offset: valueStart)
        }
        if purpose == .element {
            carry.append(piece, limit: limit)
            isCarryDelivered = true
            messageOffset = valueStart
            consume(&input, end)
            return carry.bytes
        }
        if purpose == .longName || isFound || path.isEmpty {
            isNameSought = false
        } else {
            let isInPlace = carry.isEmpty
            if !isInPlace { carry.append(piece, limit: limit) }
            let name = (isInPlace ? piece : carry.bytes).dropFirst().dropLast()
            isNameSought = JSONKey.matches(UnsafeRawBufferPointer(rebasing: name), tokens[path.count - 1])
        }
        carry.removeAll()
        return nil
    }

    /// Keeps what the input has of an element or a name, and drops the rest.
    mutating func absorb(_ input: inout UnsafeRawBufferPointer) throws(StreamError) {
        let start = max(valueStart &- offset, 0)
        let isKept = inside != .none && (purpose == .element || purpose == .name)
        let piece = isKept ? UnsafeRawBufferPointer(rebasing: input.dropFirst(start)) : nil
        consume(&input, input.count)
        guard let piece, !piece.isEmpty else { return }
        if carry.count &+ piece.count > limit {
            carry.removeAll()
            purpose = purpose == .name ? .longName : .skip
            throw StreamError(.messageTooLarge(limit: limit), offset: valueStart)
        }
        carry.append(piece, limit: limit)
    }
}
