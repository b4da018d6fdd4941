/// One field line of a head or a trailer section.
enum FieldLine {
    typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// Finds name and trimmed value, or says what is wrong (RFC 9112, section 5).
    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>
    ) -> Result<RequestHead.Field, Rejection> {
        guard let first = line.first else { return .failure(.bad("A field line is empty.")) }
        if ASCII.isBlank(bytes[first]) {
            return .failure(.bad("A field line begins with white space; folded fields are obsolete."))
        }
        var colon = line.lowerBound
        while colon < line.upperBound, ASCII.isToken(bytes[colon]) { colon += 1 }
        guard colon < line.upperBound, bytes[colon] == UInt8(ascii: ":"), colon > line.lowerBound else {
            return .failure(.bad("A field line has no field name that is a token followed by a colon."))
        }
        var start = colon + 1
        var end = line.upperBound
        while start < end, ASCII.isBlank(bytes[start]) { start += 1 }
        while end > start, ASCII.isBlank(bytes[end - 1]) { end -= 1 }
        for index in start..<end where !ASCII.isFieldValue(bytes[index]) {
            return .failure(.bad("A field value has a control character in it."))
        }
        return .success(
            RequestHead.Field(
                name: Int32(line.lowerBound)..<Int32(colon), value: Int32(start)..<Int32(end)))
    }
}

/// What the fields say about framing and the connection, gathered field by field.
struct FieldFacts {
    private var hosts = 0
    private var contentLength: Int?
    private var hasTransferEncoding = false
    private var endsInChunked = false
    private var chunkedCount = 0
    private var hasUnknownCoding = false
    private var saysClose = false
    private var saysKeepAlive = false
    private var expectsContinue = false
    private var expectsOther = false

    /// Takes note of a field, or says why the request cannot be served.
    mutating func take(name: FieldLine.Bytes, value: FieldLine.Bytes) -> Rejection? {
        switch name.count {
        case 4 where ASCII.equal(name, "host"):
            hosts += 1
            if !HostValue.isValid(value) { return .bad("The Host field is no host with an optional port.") }
        case 6 where ASCII.equal(name, "expect"):
            ASCII.forEachElement(value) { element in
                if ASCII.equal(element, "100-continue") { expectsContinue = true } else { expectsOther = true }
            }
        case 10 where ASCII.equal(name, "connection"):
            ASCII.forEachElement(value) { element in
                if ASCII.equal(element, "close") { saysClose = true }
                if ASCII.equal(element, "keep-alive") { saysKeepAlive = true }
            }
        case 14 where ASCII.equal(name, "content-length"): return takeContentLength(value)
        case 17 where ASCII.equal(name, "transfer-encoding"): takeTransferEncoding(value)
        default: break
        }
        return nil
    }

    private mutating func takeContentLength(_ value: FieldLine.Bytes) -> Rejection? {
        var rejection: Rejection?
        ASCII.forEachElement(value) { element in
            guard rejection == nil else { return }
            guard let length = ASCII.decimal(element) else {
                rejection = .bad("The Content-Length is not a decimal number that fits 64 bits.")
                return
            }
            if let known = contentLength, known != length {
                rejection = .bad("Two Content-Lengths differ.")
            }
            contentLength = length
        }
        return rejection
    }

    private mutating func takeTransferEncoding(_ value: FieldLine.Bytes) {
        hasTransferEncoding = true
        ASCII.forEachElement(value) { element in
            endsInChunked = ASCII.equal(element, "chunked")
            if endsInChunked { chunkedCount += 1 } else { hasUnknownCoding = true }
        }
    }

    /// Puts the decisions of RFC 9112, sections 3.2, 6.3 and 9.3, into the head, or says why there are none.
    func settle(_ head: inout RequestHead) -> Rejection? {
        if hosts > 1 { return .bad("There is more than one Host field.") }
        if hosts == 0, head.version == .http11 { return .bad("There is no Host field.") }
        if hasTransferEncoding {
            if contentLength != nil { return .bad("Content-Length and Transfer-Encoding are both there.") }
            if head.version == .http10 { return .bad("HTTP/1.0 has no Transfer-Encoding.") }
            guard endsInChunked, chunkedCount == 1 else {
                return .bad("The Transfer-Encoding does not end in chunked, once.")
            }
            if hasUnknownCoding {
                return Rejection(status: 501, reason: "Of the transfer codings only chunked is understood.")
            }
            head.framing = .chunked
        } else if let contentLength {
            head.framing = contentLength == 0 ? .none : .length(contentLength)
        }
        head.keepsAlive = !saysClose && (head.version == .http11 || saysKeepAlive)
        if head.version == .http11 {
            if expectsOther { return Rejection(status: 417, reason: "Of the expectations only 100-continue is met.") }
            head.expectsContinue = expectsContinue && head.framing != .none
        }
        return nil
    }
}
