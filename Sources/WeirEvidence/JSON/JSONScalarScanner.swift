/// Takes what a ``JSONScalarScanner`` finds.
///
/// The bytes are valid during the call only.
package protocol JSONScalarSink {
    mutating func beginObject()
    mutating func beginArray()
    /// The innermost object or array ends.
    mutating func endContainer()
    /// The key of the member that follows, unescaped.
    mutating func key(_ bytes: UnsafeRawBufferPointer)
    /// A string, unescaped.
    mutating func string(_ bytes: UnsafeRawBufferPointer)
    /// A number as written.
    mutating func number(_ bytes: UnsafeRawBufferPointer)
    /// A value that can tell nothing: true, false, null, or a string that is over the limit.
    mutating func otherValue()
    /// A whole text has ended; another one may follow (NDJSON, JSON text sequences).
    mutating func endText()
}

/// Finds the scalars of JSON in pieces of any size, without building anything.
///
/// It takes one JSON text or several one after the other, white space, line ends or record separators (RFC 7464)
/// between them. It is no validator: what is not JSON stops it (``isFailed``), and what was found before stays found.
/// Any split of the bytes gives the same calls. Complexity: O(bytes); memory: one scalar at most, and only one that is
/// split between pieces or has escapes.
package struct JSONScalarScanner {
    /// What is looked into.
    package struct Limits: Sendable {
        /// How deeply arrays and objects are followed; what is deeper is passed over.
        package var depth = 64
        /// The largest key or scalar in bytes, as written; a larger one tells nothing.
        package var scalarBytes = 8 * 1024

        package init() {}
    }

    enum State {
        /// A value must follow.
        case value
        /// The first element of an array, or its end.
        case firstElement
        /// The first key of an object, or its end.
        case firstKey
        /// A further key.
        case key
        case colon
        case afterValue
        /// Between texts.
        case betweenTexts
        case insideString
        case insideNumber
        case insideLiteral
        /// Inside the line before the text that guards against inclusion as a script, such as `)]}',`.
        case insideGuard
        case failed
    }

    let limits: Limits
    var state = State.betweenTexts
    /// For each level that is followed, whether it is an object.
    private var isObject: [Bool] = []
    /// How many levels below the limit the scanner is.
    private var skipped = 0
    /// The bytes of a token that began in an earlier piece.
    var pending: [UInt8] = []
    var isKey = false
    /// The string so far has a backslash.
    var isEscaped = false
    /// The last byte was a backslash that escapes the next.
    var isEscapeOpen = false
    var isOversized = false
    var scratch: [UInt8] = []
    private var byteOrderMark = 0

    /// Whether something was passed over: too deep or too large.
    package internal(set) var isTruncated = false
    /// How many texts have ended.
    package private(set) var texts = 0

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Whether the bytes were not JSON.
    package var isFailed: Bool { state == .failed }

    /// Whether all that came was whole texts; nothing at all counts as that.
    ///
    /// To be asked after ``finish(into:)``.
    package var isAtEnd: Bool { state == .betweenTexts && byteOrderMark != 1 && byteOrderMark != 2 }

    /// Takes the next bytes.
    package mutating func push<Sink: JSONScalarSink>(_ bytes: UnsafeRawBufferPointer, into sink: inout Sink) {
        var i = 0
        while i < bytes.count {
            switch state {
            case .insideString: i = continueString(bytes, from: i, &sink)
            case .insideNumber: i = continueNumber(bytes, from: i, &sink)
            case .insideLiteral: i = continueLiteral(bytes, from: i, &sink)
            case .insideGuard:
                if bytes[i] == 0x0A { state = .betweenTexts }
                i += 1
            case .failed: return
            default:
                let byte = bytes[i]
                if byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B && byte != 0x0C) {
                    i += 1
                } else if skipped > 0 {
                    i = skip(byte, at: i, &sink)
                } else {
                    i = structure(bytes, at: i, &sink)
                }
            }
        }
    }

    /// No more bytes come.
    package mutating func finish<Sink: JSONScalarSink>(into sink: inout Sink) {
        switch state {
        case .insideNumber: endNumber(&sink)
        case .insideLiteral: endLiteral(&sink)
        default: break
        }
    }

    // MARK: Structure

    private mutating func structure<Sink: JSONScalarSink>(
        _ bytes: UnsafeRawBufferPointer, at i: Int, _ sink: inout Sink
    ) -> Int {
        let byte = bytes[i]
        switch state {
        case .afterValue:
            guard let inObject = isObject.last else { return fail(i) }
            if byte == UInt8(ascii: ",") {
                state = inObject ? .key : .value
                return i + 1
            }
            guard byte == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return fail(i) }
            close(&sink)
            return i + 1
        case .colon:
            guard byte == UInt8(ascii: ":") else { return fail(i) }
            state = .value
            return i + 1
        case .firstKey, .key:
            if byte == UInt8(ascii: "\"") { return beginString(bytes, at: i, isKey: true, &sink) }
            // A trailing comma is tolerated, as it is in files.
            guard byte == UInt8(ascii: "}") else { return fail(i) }
            close(&sink)
            return i + 1
        case .firstElement where byte == UInt8(ascii: "]"), .value where byte == UInt8(ascii: "]") && !inObject:
            guard !isObject.isEmpty else { return fail(i) }
            close(&sink)
            return i + 1
        case .betweenTexts: return beginText(bytes, at: i, &sink)
        default: return beginValue(bytes, at: i, &sink)
        }
    }

    private var inObject: Bool { isObject.last ?? false }

    private mutating func beginText<Sink: JSONScalarSink>(
        _ bytes: UnsafeRawBufferPointer, at i: Int, _ sink: inout Sink
    ) -> Int {
        let byte = bytes[i]
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if texts == 0, byteOrderMark < 3, byte == mark[byteOrderMark] {
            byteOrderMark += 1
            return i + 1
        }
        guard byteOrderMark == 0 || byteOrderMark == 3 else { return fail(i) }
        if byte == 0x1E { return i + 1 }
        if byte == UInt8(ascii: ")"), texts == 0 {
            state = .insideGuard
            return i + 1
        }
        return beginValue(bytes, at: i, &sink)
    }

    private mutating func beginValue<Sink: JSONScalarSink>(
        _ bytes: UnsafeRawBufferPointer, at i: Int, _ sink: inout Sink
    ) -> Int {
        switch bytes[i] {
        case UInt8(ascii: "\""): return beginString(bytes, at: i, isKey: false, &sink)
        case UInt8(ascii: "{"):
            open(isObject: true, &sink)
            return i + 1
        case UInt8(ascii: "["):
            open(isObject: false, &sink)
            return i + 1
        case UInt8(ascii: "-"), 0x30...0x39:
            state = .insideNumber
            return continueNumber(bytes, from: i, &sink)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            state = .insideLiteral
            return continueLiteral(bytes, from: i, &sink)
        default: return fail(i)
        }
    }

    private mutating func open<Sink: JSONScalarSink>(isObject new: Bool, _ sink: inout Sink) {
        guard isObject.count < limits.depth else {
            isTruncated = true
            skipped = 1
            return
        }
        isObject.append(new)
        if new { sink.beginObject() } else { sink.beginArray() }
        state = new ? .firstKey : .firstElement
    }

    private mutating func close<Sink: JSONScalarSink>(_ sink: inout Sink) {
        isObject.removeLast()
        sink.endContainer()
        endValue(&sink)
    }

    /// One byte of what is too deep: only brackets and strings matter.
    private mutating func skip<Sink: JSONScalarSink>(_ byte: UInt8, at i: Int, _ sink: inout Sink) -> Int {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"): skipped += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            skipped -= 1
            if skipped == 0 {
                sink.otherValue()
                endValue(&sink)
            }
        case UInt8(ascii: "\""):
            isOversized = true
            isKey = false
            state = .insideString
        default: break
        }
        return i + 1
    }

    /// A value has ended.
    mutating func endValue<Sink: JSONScalarSink>(_ sink: inout Sink) {
        if isObject.isEmpty, skipped == 0 {
            texts += 1
            state = .betweenTexts
            sink.endText()
        } else {
            state = .afterValue
        }
    }

    /// Whether the scanner is inside something that it passes over.
    var isSkipping: Bool { skipped > 0 }

    mutating func fail(_ i: Int) -> Int {
        state = .failed
        pending = []
        return i
    }
}
