extension JSONScalarScanner {
    // MARK: Strings

    /// Begins the string whose opening quote is at `i`.
    mutating func beginString<Sink: JSONScalarSink>(
        _ bytes: UnsafeRawBufferPointer, at i: Int, isKey: Bool, _ sink: inout Sink
    ) -> Int {
        let start = i + 1
        let stop = Self.firstQuoteOrBackslash(bytes, from: start)
        if stop < bytes.count, bytes[stop] == UInt8(ascii: "\""), stop - start <= limits.scalarBytes {
            // Whole and without escapes: no copy.
            self.isKey = isKey
            emit(UnsafeRawBufferPointer(rebasing: bytes[start..<stop]), &sink)
            return stop + 1
        }
        self.isKey = isKey
        isEscaped = false
        isEscapeOpen = false
        isOversized = false
        pending.removeAll(keepingCapacity: true)
        state = .insideString
        return continueString(bytes, from: start, &sink)
    }

    /// Goes on in a string to its end, or to that of the bytes.
    mutating func continueString<Sink: JSONScalarSink>(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ sink: inout Sink
    ) -> Int {
        var i = start
        while i < bytes.count {
            if isEscapeOpen {
                isEscapeOpen = false
                i += 1
                continue
            }
            i = Self.firstQuoteOrBackslash(bytes, from: i)
            guard i < bytes.count else { break }
            if bytes[i] == UInt8(ascii: "\"") {
                keep(bytes, start..<i)
                endString(&sink)
                return i + 1
            }
            isEscaped = true
            isEscapeOpen = true
            i += 1
        }
        keep(bytes, start..<bytes.count)
        return bytes.count
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard !isOversized else { return }
        if pending.count + range.count > limits.scalarBytes {
            isOversized = true
            pending.removeAll(keepingCapacity: true)
        } else {
            pending.append(contentsOf: bytes[range])
        }
    }

    private mutating func endString<Sink: JSONScalarSink>(_ sink: inout Sink) {
        if isSkipping {
            isOversized = false
            state = .afterValue
            return
        }
        if isOversized {
            isOversized = false
            isTruncated = true
            emitOversized(&sink)
            return
        }
        // Taken out for the call, so that nothing else holds them; given back to save allocations.
        var text = pending
        pending = []
        if isEscaped {
            scratch.removeAll(keepingCapacity: true)
            text.withUnsafeBytes { JSONEscapes.append(unescaped: $0, to: &scratch) }
            swap(&text, &scratch)
        }
        text.withUnsafeBytes { emit($0, &sink) }
        text.removeAll(keepingCapacity: true)
        pending = text
    }

    @inline(__always)
    private mutating func emit<Sink: JSONScalarSink>(_ bytes: UnsafeRawBufferPointer, _ sink: inout Sink) {
        if isKey {
            sink.key(bytes)
            state = .colon
        } else {
            sink.string(bytes)
            endValue(&sink)
        }
    }

    private mutating func emitOversized<Sink: JSONScalarSink>(_ sink: inout Sink) {
        if isKey {
            sink.key(UnsafeRawBufferPointer(start: nil, count: 0))
            state = .colon
        } else {
            sink.otherValue()
            endValue(&sink)
        }
    }

    /// The first quote or backslash, or the end of the bytes.
    @inline(__always)
    static func firstQuoteOrBackslash(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var i = start
        let quote = SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
        let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        while i + 16 <= bytes.count {
            let block = bytes.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
            let lanes = unsafeBitCast((block .== quote) .| (block .== backslash), to: SIMD2<UInt64>.self)
            if lanes.x != 0 { return i + UInt64(littleEndian: lanes.x).trailingZeroBitCount >> 3 }
            if lanes.y != 0 { return i + 8 + UInt64(littleEndian: lanes.y).trailingZeroBitCount >> 3 }
            i += 16
        }
        while i < bytes.count, bytes[i] != UInt8(ascii: "\""), bytes[i] != UInt8(ascii: "\\") { i += 1 }
        return i
    }

    // MARK: Numbers and literals

    mutating func continueNumber<Sink: JSONScalarSink>(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ sink: inout Sink
    ) -> Int {
        var i = start
        while i < bytes.count, Self.isNumberByte(bytes[i]) { i += 1 }
        if i < bytes.count, pending.isEmpty, !isOversized, i - start <= limits.scalarBytes {
            sink.number(UnsafeRawBufferPointer(rebasing: bytes[start..<i]))
            endValue(&sink)
            return i
        }
        keep(bytes, start..<i)
        if i < bytes.count { endNumber(&sink) }
        return i
    }

    mutating func endNumber<Sink: JSONScalarSink>(_ sink: inout Sink) {
        if isOversized {
            isOversized = false
            isTruncated = true
            sink.otherValue()
        } else {
            var text = pending
            pending = []
            text.withUnsafeBytes { sink.number($0) }
            text.removeAll(keepingCapacity: true)
            pending = text
        }
        endValue(&sink)
    }

    mutating func continueLiteral<Sink: JSONScalarSink>(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ sink: inout Sink
    ) -> Int {
        var i = start
        while i < bytes.count, (0x61...0x7A).contains(bytes[i]), pending.count < 6 {
            pending.append(bytes[i])
            i += 1
        }
        if i < bytes.count { endLiteral(&sink) }
        return i
    }

    mutating func endLiteral<Sink: JSONScalarSink>(_ sink: inout Sink) {
        let isKnown = [StaticString("true"), "false", "null"].contains { name in
            name.withUTF8Buffer { $0.elementsEqual(pending) }
        }
        pending.removeAll(keepingCapacity: true)
        guard isKnown else {
            _ = fail(0)
            return
        }
        sink.otherValue()
        endValue(&sink)
    }

    @inline(__always)
    private static func isNumberByte(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            || byte | 0x20 == UInt8(ascii: "e")
    }
}
