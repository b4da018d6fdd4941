/// A request's head from the fields of HTTP/2, laid out as HTTP/1.1 would have it, so that one kind of head serves both.
///
/// nghttp2 has checked what RFC 9113, section 8, asks of them: pseudo-fields that are there, known, once and first, names in
/// lower case, no fields of a connection. What is kept is bounded by the limits.
struct HTTP2RequestBuilder {
    private let limits: LocalServer.Limits
    private var method: [UInt8] = []
    private var path: [UInt8] = []
    private var authority: [UInt8]?
    private var host: [UInt8]?
    /// The lines of the other fields, and where their parts stand in there.
    private var lines: [UInt8] = []
    private var fields: [RequestHead.Field] = []
    private var cookie: [UInt8] = []
    /// The size as SETTINGS_MAX_HEADER_LIST_SIZE has it (RFC 9113, section 6.5.2).
    private var size = 0
    private var contentLength: Int?
    private var expectsContinue = false
    private var expectsOther = false

    init(limits: LocalServer.Limits) {
        self.limits = limits
    }

    /// Takes a field; false when the list is so much longer than it may be that the connection must end.
    mutating func take(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) -> Bool {
        size += name.count + value.count + 32
        if name.first == UInt8(ascii: ":") {
            takePseudo(name: name, value: value)
            return true
        }
        guard size <= limits.headerBlock else { return size / 16 <= max(limits.headerBlock, 1024) }
        switch name.count {
        case 4 where ASCII.equal(name, "host"):
            host = Array(value)
            return true
        case 6 where ASCII.equal(name, "cookie"):
            // RFC 9113, section 8.2.3: what was split for the sake of compression is one field to whoever reads it.
            if !cookie.isEmpty { cookie += "; ".utf8 }
            cookie += value
            return true
        case 6 where ASCII.equal(name, "expect"):
            if ASCII.equal(value, "100-continue") { expectsContinue = true } else { expectsOther = true }
        case 14 where ASCII.equal(name, "content-length"): contentLength = ASCII.saturatingDecimal(value)
        default: break
        }
        append(name, value)
        return true
    }

    /// Takes one of the four that there are, each of which nghttp2 lets come once and be 64 KiB long.
    private mutating func takePseudo(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        if ASCII.equal(name, ":method") {
            method = Array(value)
        } else if ASCII.equal(name, ":path") {
            // A long path is too long a line, not too many fields.
            size -= value.count
            path = Array(value)
        } else if ASCII.equal(name, ":authority") {
            authority = Array(value)
        }
    }

    private mutating func append(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
        let start = Int32(clamping: lines.count)
        lines.append(contentsOf: name)
        let nameEnd = Int32(clamping: lines.count)
        lines.append(UInt8(ascii: ":"))
        lines.append(ASCII.space)
        let valueStart = Int32(clamping: lines.count)
        lines.append(contentsOf: value)
        fields.append(.init(name: start..<nameEnd, value: valueStart..<Int32(clamping: lines.count)))
        lines.append(ASCII.carriageReturn)
        lines.append(ASCII.lineFeed)
    }

    private var isHead: Bool { method.elementsEqual("HEAD".utf8) }

    private func refuse(_ status: Int, _ reason: String) -> Rejection {
        Rejection(status: status, reason: reason, isHead: isHead)
    }

    /// The whole head, or why the request cannot be served.
    ///
    /// - Parameters:
    ///   - discardsBody: Whether the body of a request is thrown away, so that it may have any size.
    ///   - streamsBodies: From which size on the handler gets it while it arrives, so that it may, too; nil for never.
    func finish(
        discardsBody: (@Sendable (String, String) -> Bool)? = nil, streamsBodies: Int? = nil
    ) -> Result<(head: RequestHead, discardsBody: Bool, streamsBody: Bool), Rejection> {
        if method.count + path.count + 10 > limits.requestLine {
            return .failure(refuse(414, "The request line is longer than the limit of \(limits.requestLine) bytes."))
        }
        if size > limits.headerBlock {
            return .failure(
                refuse(431, "The header fields are longer than the limit of \(limits.headerBlock) bytes."))
        }
        if method.elementsEqual("CONNECT".utf8) {
            return .failure(refuse(501, "This server is no proxy: no CONNECT."))
        }
        guard path.allSatisfy({ $0 > ASCII.space && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            return .failure(refuse(400, "The request target has a byte that must be percent-encoded."))
        }
        if let authority, let host, authority != host {
            return .failure(refuse(400, "The Host field is not what :authority is."))
        }
        let name = authority ?? host ?? []
        guard HostValue.isValid(name[...]) else {
            return .failure(refuse(400, "The :authority is no host with an optional port."))
        }
        if expectsOther { return .failure(refuse(417, "Of the expectations only 100-continue is met.")) }
        let discards =
            discardsBody?(String(decoding: method, as: UTF8.self), String(decoding: path, as: UTF8.self)) ?? false
        let streams = !discards && streamsBodies.map { contentLength ?? .max >= $0 } ?? false
        if let contentLength, contentLength > limits.body, !discards, !streams { return .failure(bodyTooLarge) }
        return .success((layOut(name), discards, streams))
    }

    /// The size that the head tells of the body.
    var bodyLength: Int? { contentLength }

    var bodyTooLarge: Rejection { refuse(413, "The body is larger than the limit of \(limits.body) bytes.") }

    private func layOut(_ name: [UInt8]) -> RequestHead {
        var rest = self
        if !cookie.isEmpty { rest.append("cookie".utf8, cookie) }
        var head = RequestHead()
        head.version = .http2
        head.bytes.reserveCapacity(method.count + path.count + name.count + rest.lines.count + 32)
        head.bytes += method
        head.method = 0..<Int32(clamping: head.bytes.count)
        head.bytes.append(ASCII.space)
        let pathStart = Int32(clamping: head.bytes.count)
        head.bytes += path
        head.target = pathStart..<Int32(clamping: head.bytes.count)
        head.bytes += " HTTP/2\r\nhost: ".utf8
        let nameEnd = Int32(clamping: head.bytes.count - 2)
        let hostStart = Int32(clamping: head.bytes.count)
        head.bytes += name
        head.fields.reserveCapacity(rest.fields.count + 1)
        head.fields.append(.init(name: (nameEnd - 4)..<nameEnd, value: hostStart..<Int32(clamping: head.bytes.count)))
        head.bytes += "\r\n".utf8
        let offset = Int32(clamping: head.bytes.count)
        for field in rest.fields {
            head.fields.append(
                .init(
                    name: (field.name.lowerBound + offset)..<(field.name.upperBound + offset),
                    value: (field.value.lowerBound + offset)..<(field.value.upperBound + offset)))
        }
        head.bytes += rest.lines
        head.bytes += "\r\n".utf8
        head.expectsContinue = expectsContinue
        return head
    }
}
