/// Scans of many bytes at a time, in SIMD, each with a scalar twin that does the same to any count.
///
/// The types are written out: with `SIMD16(repeating:)` left to inference the compiler emits unspecialised generics, which
/// are two hundred times slower. Debug builds, where every SIMD operation is such a call, use the twins.
package enum ByteKernels {
    /// How many bytes a SIMD step takes.
    package static let block = 64

    /// Writes the offsets of two bytes' occurrences.
    ///
    /// - Parameters:
    ///   - output: Room for `count` offsets and 64 more.
    /// - Returns: How many there are.
    package static func offsets(
        of first: UInt8, or second: UInt8, in start: UnsafeRawPointer, count: Int,
        into output: UnsafeMutablePointer<UInt16>
    ) -> Int {
        #if DEBUG
        return scalarOffsets(of: first, or: second, in: start, from: 0, to: count, into: output, written: 0)
        #else
        return vectorOffsets(of: first, or: second, in: start, count: count, into: output)
        #endif
    }

    /// ``offsets(of:or:in:count:into:)`` in SIMD, whatever the build.
    package static func vectorOffsets(
        of first: UInt8, or second: UInt8, in start: UnsafeRawPointer, count: Int,
        into output: UnsafeMutablePointer<UInt16>
    ) -> Int {
        let a = SIMD16<UInt8>(repeating: first)
        let b = SIMD16<UInt8>(repeating: second)
        let areControls = first < 0x20 && second < 0x20
        var position = 0
        // Where one byte is sought, half of the comparisons are not made.
        let written =
            first == second
            ? vectorOffsets(in: start, count: count, areControls: areControls, position: &position, into: output) {
                lanes($0 .== a)
            }
            : vectorOffsets(in: start, count: count, areControls: areControls, position: &position, into: output) {
                lanes($0 .== a) | lanes($0 .== b)
            }
        return scalarOffsets(
            of: first, or: second, in: start, from: position, to: count, into: output, written: written)
    }

    /// Writes the offsets of what a comparison finds, in whole blocks.
    @inline(__always)
    private static func vectorOffsets(
        in start: UnsafeRawPointer, count: Int, areControls: Bool, position: inout Int,
        into output: UnsafeMutablePointer<UInt16>, _ found: (SIMD16<UInt8>) -> SIMD2<UInt64>
    ) -> Int {
        var written = 0
        let control = SIMD16<UInt8>(repeating: 0x20)
        var wasEmpty = true
        while position &+ block <= count {
            let at = start + position
            let v0 = at.loadUnaligned(fromByteOffset: 0, as: SIMD16<UInt8>.self)
            let v1 = at.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
            let v2 = at.loadUnaligned(fromByteOffset: 32, as: SIMD16<UInt8>.self)
            let v3 = at.loadUnaligned(fromByteOffset: 48, as: SIMD16<UInt8>.self)
            // Most blocks of text have no control byte at all, which the least byte tells; not where lines are short.
            if areControls && wasEmpty {
                let low = smaller(smaller(v0, v1), smaller(v2, v3))
                let controls = lanes(low .< control)
                if (controls[0] | controls[1]) == 0 {
                    position &+= block
                    continue
                }
            }
            let m0 = found(v0)
            let m1 = found(v1)
            let m2 = found(v2)
            let m3 = found(v3)
            let any = (m0 | m1) | (m2 | m3)
            wasEmpty = (any[0] | any[1]) == 0
            if !wasEmpty {
                var mask = ordered(gathered(m0, m1, m2, m3))
                write(&mask, position, output, &written)
            }
            position &+= block
        }
        return written
    }

    /// The scalar twin: eight bytes at a time where none is sought, then byte by byte.
    package static func scalarOffsets(
        of first: UInt8, or second: UInt8, in start: UnsafeRawPointer, from: Int, to count: Int,
        into output: UnsafeMutablePointer<UInt16>, written: Int
    ) -> Int {
        var written = written
        var position = from
        let a = UInt64(first) &* 0x0101_0101_0101_0101
        let b = UInt64(second) &* 0x0101_0101_0101_0101
        while position < count {
            if position &+ 8 <= count {
                let word = start.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                if !hasZeroByte(word ^ a) && !hasZeroByte(word ^ b) {
                    position &+= 8
                    continue
                }
            }
            let end = position &+ 8 < count ? position &+ 8 : count
            while position < end {
                let byte = start.load(fromByteOffset: position, as: UInt8.self)
                if byte == first || byte == second {
                    output[written] = UInt16(truncatingIfNeeded: position)
                    written &+= 1
                }
                position &+= 1
            }
        }
        return written
    }

    /// The first occurrence of one of two bytes, or nil.
    package static func firstOffset(of first: UInt8, or second: UInt8, in start: UnsafeRawPointer, count: Int) -> Int? {
        var position = 0
        #if !DEBUG
        let va = SIMD16<UInt8>(repeating: first)
        let vb = SIMD16<UInt8>(repeating: second)
        while position &+ 16 <= count {
            let v = start.loadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
            let found = firstLane(lanes(v .== va) | lanes(v .== vb))
            if found < 16 { return position &+ found }
            position &+= 16
        }
        #endif
        while position < count {
            let byte = start.load(fromByteOffset: position, as: UInt8.self)
            if byte == first || byte == second { return position }
            position &+= 1
        }
        return nil
    }
}

// JSON's brackets outside of strings.
extension ByteKernels {
    /// What a scan of JSON knows of the bytes before: whether they end inside a string, and whether in a backslash that
    /// escapes the next byte.
    package struct StringState: Sendable, Hashable {
        /// All ones inside a string, else zero.
        package var inside: UInt64 = 0
        /// One when the next byte is escaped, else zero.
        package var escaped: UInt64 = 0

        package init() {}
    }

    /// Writes the offsets of brackets outside of strings.
    ///
    /// Of the bytes that no valid JSON has outside of a string, `Y`, `_`, `y` and DEL are written too: one comparison finds
    /// them all, and who reads the offsets looks at the bytes anyway. A backslash escapes the byte after it, outside of
    /// strings too, where no valid JSON has one.
    ///
    /// - Parameters:
    ///   - output: Room for `count` offsets and 64 more.
    /// - Returns: How many there are.
    package static func brackets(
        in start: UnsafeRawPointer, count: Int, state: inout StringState, into output: UnsafeMutablePointer<UInt16>
    ) -> Int {
        #if DEBUG
        return scalarBrackets(in: start, from: 0, to: count, state: &state, into: output, written: 0)
        #else
        return vectorBrackets(in: start, count: count, state: &state, into: output)
        #endif
    }

    /// ``brackets(in:count:state:into:)`` in SIMD, whatever the build.
    package static func vectorBrackets(
        in start: UnsafeRawPointer, count: Int, state: inout StringState, into output: UnsafeMutablePointer<UInt16>
    ) -> Int {
        var written = 0
        var position = 0
        var inside = state.inside
        var escaped = state.escaped
        let quote = SIMD16<UInt8>(repeating: 0x22)
        let backslash = SIMD16<UInt8>(repeating: 0x5C)
        let fill = SIMD16<UInt8>(repeating: 0x26)
        let bracket = SIMD16<UInt8>(repeating: 0x7F)
        while position &+ block <= count {
            let at = start + position
            let v0 = at.loadUnaligned(fromByteOffset: 0, as: SIMD16<UInt8>.self)
            let v1 = at.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
            let v2 = at.loadUnaligned(fromByteOffset: 32, as: SIMD16<UInt8>.self)
            let v3 = at.loadUnaligned(fromByteOffset: 48, as: SIMD16<UInt8>.self)
            var quotes = gathered(lanes(v0 .== quote), lanes(v1 .== quote), lanes(v2 .== quote), lanes(v3 .== quote))
            let brackets = gathered(
                lanes((v0 | fill) .== bracket), lanes((v1 | fill) .== bracket), lanes((v2 | fill) .== bracket),
                lanes((v3 | fill) .== bracket))
            let s0 = lanes(v0 .== backslash)
            let s1 = lanes(v1 .== backslash)
            let s2 = lanes(v2 .== backslash)
            let s3 = lanes(v3 .== backslash)
            let s = (s0 | s1) | (s2 | s3)
            if (s[0] | s[1] | escaped) != 0 {
                let backslashes = ordered(gathered(s0, s1, s2, s3))
                quotes &= ~unordered(escapes(backslashes, &escaped))
            }
            let outside = brackets & ~strings(quotes, &inside)
            guard outside != 0 else {
                position &+= block
                continue
            }
            var mask = ordered(outside)
            write(&mask, position, output, &written)
            position &+= block
        }
        state.inside = inside
        state.escaped = escaped
        return scalarBrackets(in: start, from: position, to: count, state: &state, into: output, written: written)
    }

    /// The scalar twin.
    package static func scalarBrackets(
        in start: UnsafeRawPointer, from: Int, to count: Int, state: inout StringState,
        into output: UnsafeMutablePointer<UInt16>, written: Int
    ) -> Int {
        var written = written
        var position = from
        var isInside = state.inside != 0
        var isEscaped = state.escaped != 0
        while position < count {
            let byte = start.load(fromByteOffset: position, as: UInt8.self)
            if isEscaped {
                isEscaped = false
                // A bracket outside of a string after a backslash is still written, as the vector form does.
                if !isInside && byte | 0x26 == 0x7F {
                    output[written] = UInt16(truncatingIfNeeded: position)
                    written &+= 1
                }
            } else if byte == 0x22 {
                isInside.toggle()
            } else if byte == 0x5C {
                isEscaped = true
            } else if !isInside && byte | 0x26 == 0x7F {
                output[written] = UInt16(truncatingIfNeeded: position)
                written &+= 1
            }
            position &+= 1
        }
        state.inside = isInside ? ~0 : 0
        state.escaped = isEscaped ? 1 : 0
        return written
    }

    /// The bytes that a backslash escapes, of a block's backslashes; simdjson's rule for runs of them.
    @inline(__always)
    private static func escapes(_ backslashes: UInt64, _ escaped: inout UInt64) -> UInt64 {
        let starts = backslashes & ~escaped
        let follows = (starts << 1) | escaped
        let even: UInt64 = 0x5555_5555_5555_5555
        let oddStarts = starts & ~even & ~follows
        let (sum, overflow) = oddStarts.addingReportingOverflow(starts)
        escaped = overflow ? 1 : 0
        return (even ^ (sum << 1)) & follows
    }
}

// What is found, written down.
extension ByteKernels {
    /// Writes the positions of a mask's bits, of which there is at least one.
    ///
    /// Two, then six at a time, whether or not there are so many: a branch for each bit would be mispredicted at every
    /// block's last one. What is written too much is overwritten, or not read.
    @inline(__always)
    private static func write(
        _ mask: inout UInt64, _ position: Int, _ output: UnsafeMutablePointer<UInt16>, _ written: inout Int
    ) {
        let count = mask.nonzeroBitCount
        let output = output + written
        written &+= count
        put(&mask, position, output, 0)
        put(&mask, position, output, 1)
        guard count > 2 else { return }
        var next = 2
        repeat {
            put(&mask, position, output, next)
            put(&mask, position, output, next &+ 1)
            put(&mask, position, output, next &+ 2)
            put(&mask, position, output, next &+ 3)
            put(&mask, position, output, next &+ 4)
            put(&mask, position, output, next &+ 5)
            next &+= 6
        } while next < count
    }

    @inline(__always)
    private static func put(
        _ mask: inout UInt64, _ position: Int, _ output: UnsafeMutablePointer<UInt16>, _ index: Int
    ) {
        output[index] = UInt16(truncatingIfNeeded: position &+ mask.trailingZeroBitCount)
        mask &= mask &- 1
    }

    @inline(__always)
    private static func smaller(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
        a.replacing(with: b, where: b .< a)
    }

    @inline(__always)
    private static func hasZeroByte(_ word: UInt64) -> Bool {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
    }
}
