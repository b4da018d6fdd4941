/// Strings with escapes (RFC 8259, section 7).
enum JSONEscapes {
    private typealias SyntaxError = StreamingJSONDecoder.SyntaxError

    /// The string that bytes between two quotes stand for.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - first: The first backslash or control character.
    ///   - start: Where in the text the bytes begin.
    static func string(
        _ bytes: UnsafeBufferPointer<UInt8>, from first: Int, at start: Int
    ) throws(StreamingJSONDecoder.SyntaxError) -> String {
        var error: StreamingJSONDecoder.SyntaxError?
        // No escape is longer in UTF-8 than as an escape.
        let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { output.deallocate() }
        var count = 0
        do throws(StreamingJSONDecoder.SyntaxError) {
            count = try unescape(bytes, from: first, at: start, into: output)
        } catch let wrong {
            error = wrong
        }
        if let error { throw error }
        guard let string = String(validating: UnsafeBufferPointer(rebasing: output[..<count]), as: UTF8.self) else {
            throw SyntaxError(.invalidUTF8, offset: start)
        }
        return string
    }

    private static func unescape(
        _ bytes: UnsafeBufferPointer<UInt8>, from first: Int, at start: Int,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) throws(StreamingJSONDecoder.SyntaxError) -> Int {
        var place = 0
        var count = 0
        while place < bytes.count {
            let byte = bytes[place]
            guard byte != 0x5C else {
                place += 1
                guard place < bytes.count else { throw SyntaxError(.invalidEscape, offset: start + place) }
                switch bytes[place] {
                case 0x22, 0x5C, 0x2F: output[count] = bytes[place]
                case 0x62: output[count] = 0x08
                case 0x66: output[count] = 0x0C
                case 0x6E: output[count] = 0x0A
                case 0x72: output[count] = 0x0D
                case 0x74: output[count] = 0x09
                case 0x75:
                    let scalar = try scalar(bytes, &place, at: start)
                    for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                        output[count] = unit
                        count += 1
                    }
                    continue
                default: throw SyntaxError(.invalidEscape, offset: start + place - 1)
                }
                place += 1
                count += 1
                continue
            }
            guard byte >= 0x20 else { throw SyntaxError(.controlCharacter(byte), offset: start + place) }
            output[count] = byte
            place += 1
            count += 1
        }
        return count
    }

    /// The scalar of one `uXXXX`, or of two with a backslash between them, which are a surrogate pair.
    private static func scalar(
        _ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int, at start: Int
    ) throws(StreamingJSONDecoder.SyntaxError) -> Unicode.Scalar {
        let begin = place - 1
        let first = try unit(bytes, &place, at: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), place + 1 < bytes.count, bytes[place] == 0x5C, bytes[place + 1] == 0x75
        else {
            throw SyntaxError(.loneSurrogate, offset: start + begin)
        }
        place += 1
        let second = try unit(bytes, &place, at: start)
        let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
        guard UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(value) else {
            throw SyntaxError(.loneSurrogate, offset: start + begin)
        }
        return scalar
    }

    /// The number of four hexadecimal digits behind a `u`.
    private static func unit(
        _ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int, at start: Int
    ) throws(StreamingJSONDecoder.SyntaxError) -> UInt16 {
        guard place + 4 < bytes.count else { throw SyntaxError(.invalidEscape, offset: start + place - 1) }
        var value: UInt16 = 0
        for index in place + 1...place + 4 {
            let digit: UInt8
            switch bytes[index] {
            case 0x30...0x39: digit = bytes[index] - 0x30
            case 0x41...0x46: digit = bytes[index] - 0x37
            case 0x61...0x66: digit = bytes[index] - 0x57
            default: throw SyntaxError(.invalidEscape, offset: start + place - 1)
            }
            value = value << 4 | UInt16(digit)
        }
        place += 5
        return value
    }
}
