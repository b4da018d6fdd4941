/// The head of an answer as bytes, and what follows from it (RFC 9112, section 6).
struct ResponseHead {
    private(set) var bytes: [UInt8] = []
    /// The same for HTTP/2, in place of the bytes.
    private(set) var block = FieldBlock()
    private let isHTTP2: Bool
    private(set) var closes = false
    private(set) var isChunked = false
    private(set) var sendsBody = true
    /// The Content-Length, if that frames the body.
    private(set) var length: Int?

    init(
        _ response: LocalServer.Response, body: BodySummary, request: RequestContext, date: String
    ) throws(UnsendableResponse) {
        let status = response.status
        guard (200...999).contains(status) else {
            throw UnsendableResponse(reason: "The status \(status) is not between 200 and 999.")
        }
        isHTTP2 = request.isHTTP2
        if isHTTP2 {
            block.append(":status", String(status))
        } else {
            bytes.reserveCapacity(256 + (body.byteCount <= 8192 ? body.byteCount : 0))
            Self.appendStatusLine(status, to: &bytes)
        }

        let given = try appendFields(response)
        let hasNoBody = status == 204 || status == 304
        closes = given.closes || !request.keepsAlive
        sendsBody = !request.isHead && !hasNoBody
        // Beside 205 stands a length of zero (RFC 9110, section 15.3.6).
        if status == 204 || status == 205, body.byteCount > 0 || given.contentLength ?? 0 > 0 {
            throw UnsendableResponse(reason: "An answer with the status \(status) has no body.")
        }

        let wantsChunks =
            response.chunked || !response.trailers.isEmpty || given.isChunked
            || (body.streams > 0 && given.contentLength == nil)
        if !given.hasDate { append("Date", date) }
        if hasNoBody {
            // A length beside 304 is that of the 200 (RFC 9110, section 8.6); beside 204 there must be none.
            if status == 304, let length = given.contentLength { append("Content-Length", String(length)) }
        } else if wantsChunks {
            if given.contentLength != nil {
                throw UnsendableResponse(reason: "A chunked answer cannot have a Content-Length.")
            }
            for (name, value) in response.trailers { try Self.check(name, value) }
            // A client of HTTP/1.0 knows no chunks: the close is the end of its body.
            if request.isHTTP10 { closes = true } else { isChunked = true }
            if isChunked, !isHTTP2 { append("Transfer-Encoding", "chunked") }
        } else {
            let length = try contentLength(given: given.contentLength, body: body, isHead: request.isHead)
            append("Content-Length", String(length))
            self.length = length
        }
        guard !isHTTP2 else { return }
        if closes {
            if !given.closes { append("Connection", "close") }
        } else if request.isHTTP10, !given.hasConnection {
            append("Connection", "keep-alive")
        }
        bytes.append(contentsOf: [0x0D, 0x0A])
    }

    private mutating func append(_ name: String, _ value: String) {
        if isHTTP2 { block.append(name, value) } else { Self.append(name, value, to: &bytes) }
    }

    private func contentLength(given: Int?, body: BodySummary, isHead: Bool) throws(UnsendableResponse) -> Int {
        guard let given, given != body.byteCount || body.streams > 0 else { return given ?? body.contentLength }
        if isHead, body.byteCount == 0 { return given }
        if body.streams == 1, !body.hasFault, given >= body.byteCount { return given }
        if body.streams > 1 {
            throw UnsendableResponse(reason: "An answer with several streams cannot have a Content-Length.")
        }
        if body.hasFault, given > body.sentCount { return given }
        throw UnsendableResponse(
            reason: "The answer's Content-Length is \(given), its body has \(body.byteCount) bytes.")
    }

    /// What the handler's fields say about framing and the connection.
    private struct Given {
        var contentLength: Int?
        var isChunked = false
        var closes = false
        var hasConnection = false
        var hasDate = false
    }

    /// Appends the handler's fields but for those that frame the body, which the server writes.
    private mutating func appendFields(_ response: LocalServer.Response) throws(UnsendableResponse) -> Given {
        var given = Given()
        for (name, value) in response.headers {
            try Self.check(name, value)
            switch name.utf8.count {
            case 4 where ASCII.equal(name.utf8, "date"): given.hasDate = true
            case 10 where ASCII.equal(name.utf8, "connection"):
                given.hasConnection = true
                ASCII.forEachElement(value.utf8) { if ASCII.equal($0, "close") { given.closes = true } }
                // Fields of a connection do not exist in HTTP/2 (RFC 9113, section 8.2.2).
                if isHTTP2 { continue }
            case 14 where ASCII.equal(name.utf8, "content-length"):
                guard let length = ASCII.decimal(value.utf8), given.contentLength ?? length == length else {
                    throw UnsendableResponse(reason: "The answer's Content-Length is not one decimal number.")
                }
                given.contentLength = length
                continue
            case 17 where ASCII.equal(name.utf8, "transfer-encoding"):
                guard ASCII.equal(value.utf8, "chunked") else {
                    throw UnsendableResponse(reason: "The answer's Transfer-Encoding is not chunked.")
                }
                given.isChunked = true
                continue
            case 7 where isHTTP2 && ASCII.equal(name.utf8, "upgrade"),
                10 where isHTTP2 && ASCII.equal(name.utf8, "keep-alive"),
                16 where isHTTP2 && ASCII.equal(name.utf8, "proxy-connection"):
                continue
            default: break
            }
            append(name, value)
        }
        return given
    }
}

extension ResponseHead {
    /// The head of an informational answer.
    static func informational(
        _ informational: LocalServer.Response.Informational
    ) throws(UnsendableResponse) -> [UInt8] {
        try check(informational)
        var bytes: [UInt8] = []
        appendStatusLine(informational.status, to: &bytes)
        for (name, value) in informational.headers { append(name, value, to: &bytes) }
        bytes.append(contentsOf: [0x0D, 0x0A])
        return bytes
    }

    /// The same for HTTP/2.
    static func informationalBlock(
        _ informational: LocalServer.Response.Informational
    ) throws(UnsendableResponse) -> FieldBlock {
        try check(informational)
        var block = FieldBlock()
        block.append(":status", String(informational.status))
        for (name, value) in informational.headers where !ASCII.equal(name.utf8, "connection") {
            block.append(name, value)
        }
        return block
    }

    private static func check(_ informational: LocalServer.Response.Informational) throws(UnsendableResponse) {
        let status = informational.status
        guard (100...199).contains(status), status != 101 else {
            throw UnsendableResponse(
                reason: "The informational status \(status) is not between 100 and 199, or is 101.")
        }
        for (name, value) in informational.headers {
            try check(name, value)
            if ASCII.equal(name.utf8, "content-length") || ASCII.equal(name.utf8, "transfer-encoding") {
                throw UnsendableResponse(reason: "An informational answer has no \(name).")
            }
        }
    }

    static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(ASCII.space)
        bytes.append(contentsOf: value.utf8)
        bytes.append(ASCII.carriageReturn)
        bytes.append(ASCII.lineFeed)
    }

    /// Refuses what would end a field or smuggle in another one.
    static func check(_ name: String, _ value: String) throws(UnsendableResponse) {
        guard !name.isEmpty, ASCII.allBytes(of: name, ASCII.isToken) else {
            throw UnsendableResponse(reason: "The answer's field name \(name.debugDescription) is not a token.")
        }
        guard ASCII.allBytes(of: value, ASCII.isFieldValue) else {
            throw UnsendableResponse(reason: "The value of the answer's field \(name) has a control character in it.")
        }
    }

    private static func appendStatusLine(_ status: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "HTTP/1.1 ".utf8)
        bytes.append(contentsOf: String(status).utf8)
        bytes.append(ASCII.space)
        bytes.append(contentsOf: StatusText.reason(status).utf8)
        bytes.append(ASCII.carriageReturn)
        bytes.append(ASCII.lineFeed)
    }
}

/// The reason phrases of the registered status codes.
enum StatusText {
    static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 102: "Processing"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 425: "Too Early"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
