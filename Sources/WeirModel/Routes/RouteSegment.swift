/// What one segment of a path is: a word of the interface, or a value that differs from request to request.
///
/// The rules look at bytes and take no memory. They are meant to be on the safe side: a name of a person or a thing that looks like
/// a word cannot be told from one here, and is what the limit on distinct words below one prefix is for.
package enum RouteSegment: Sendable, Hashable {
    /// A word of the interface, kept as it is.
    case literal
    /// A number, UUID, hexadecimal or long token, or anything that is no plain word.
    case identifier
    /// A calendar date, with or without time.
    case date
    /// An e-mail address.
    case email
    /// An identifier before a file extension, whose length is given, the dot included: `4711.png`.
    case file(extensionLength: Int)

    /// What stands in a route for it; nil for what is kept.
    package var placeholder: StaticString? {
        switch self {
        case .literal: nil
        case .identifier, .file: ":id"
        case .date: ":date"
        case .email: ":email"
        }
    }

    /// What a segment is; percent-encoding is undone first.
    package init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.contains(UInt8(ascii: "%")) else {
            self = Self.kind(of: bytes)
            return
        }
        // What is longer when decoded is a long token anyway.
        self = withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
            var count = 0
            var position = 0
            while position < bytes.count, count < buffer.count {
                let (byte, length) = Self.decodedByte(bytes, at: position)
                buffer[count] = byte
                count += 1
                position += length
            }
            return Self.kind(of: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The byte that stands at a place, and how many bytes it takes there.
    package static func decodedByte(_ bytes: UnsafeRawBufferPointer, at position: Int) -> (byte: UInt8, length: Int) {
        let byte = bytes[position]
        guard byte == UInt8(ascii: "%"), position + 2 < bytes.count, let high = hexValue(bytes[position + 1]),
            let low = hexValue(bytes[position + 2])
        else { return (byte, 1) }
        return (high << 4 | low, 3)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        if byte &- 0x30 < 10 { return byte - 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    private static func kind(of bytes: UnsafeRawBufferPointer) -> RouteSegment {
        let traits = Traits(bytes)
        if let length = staticExtension(bytes) {
            let stem = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - length)])
            return isHashedName(stem) ? .file(extensionLength: length) : .literal
        }
        if traits.digits >= 6, isDate(bytes) { return .date }
        guard traits.isPlain else { return unusual(bytes, traits) }
        if traits.digits == 0 {
            // Letters alone: long ones are slugs and tokens; the letters of hexadecimal alone need to be many.
            let isHexadecimal = traits.isHexadecimal && traits.dashes == 0 && bytes.count >= 16
            return bytes.count > 24 || isHexadecimal ? .identifier : .literal
        }
        if isVersion(bytes, traits) { return .literal }
        return isIdentifier(bytes, traits) ? .identifier : .literal
    }

    private static func isIdentifier(_ bytes: UnsafeRawBufferPointer, _ traits: Traits) -> Bool {
        // Numbers, and groups of them: 7, 0-1-2, 48.85.
        if traits.letters == 0 { return true }
        if bytes.count > 20 { return true }
        // s111222; user-42; A1B2C3; hexadecimal of six or more, in groups too.
        if traits.longestDigits >= 4 || traits.endsInSeparateNumber || traits.changes >= 4 { return true }
        if bytes.count >= 6, traits.isHexadecimal { return true }
        if bytes.count > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] | 0x20 == UInt8(ascii: "x") { return true }
        return bytes.count > 3 && traits.digits * 2 > bytes.count
    }

    /// Segments with other characters than letters, digits, dots, dashes, underscores and a tilde inside.
    private static func unusual(_ bytes: UnsafeRawBufferPointer, _ traits: Traits) -> RouteSegment {
        if isEmail(bytes) { return .email }
        guard bytes.count <= 40, traits.digits == 0 else { return .identifier }
        // `$metadata` of OData, and `books:batchGet` of Google's interfaces.
        if bytes[0] == UInt8(ascii: "$") { return isLetters(bytes[1...]) ? .literal : .identifier }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return .identifier }
        return isLetters(bytes[..<colon]) && isLetters(bytes[(colon + 1)...]) ? .literal : .identifier
    }

    private static func isLetters(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { ($0 | 0x20) &- 0x61 < 26 }
    }
}
