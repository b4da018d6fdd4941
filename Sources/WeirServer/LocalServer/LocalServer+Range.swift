extension LocalServer.Response {
    /// The part of the answer that a Range asks for, as 206, or 416 (RFC 9110, section 14).
    ///
    /// Several ranges, and what is no range of bytes, are ignored, as the RFC lets a server do.
    func ranged(for request: RequestHead, options: LocalServer.Options) -> LocalServer.Response {
        guard options.ranges, status == 200, !isUnframed, request.methodIs("GET"),
            let wanted = request.firstValue(named: "range"), header("content-encoding") == nil, !hasFaults,
            isFresh(request), let specification = ByteRange(wanted)
        else { return self }
        let count = BodySummary(body).byteCount
        var result = self
        result.headers.removeAll { ASCII.equal($0.0.utf8, "content-length") }
        result.headers.append(("Accept-Ranges", "bytes"))
        guard let range = specification.resolved(in: count) else {
            result.status = 416
            result.body = []
            result.trailers = []
            result.chunked = false
            result.headers.removeAll { ASCII.equal($0.0.utf8, "content-type") }
            result.headers.append(("Content-Range", "bytes */\(count)"))
            return result
        }
        result.status = 206
        result.headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"))
        result.body = Self.slice(body, range)
        return result
    }

    private var hasFaults: Bool {
        body.contains { piece in
            switch piece.kind {
            case .raw, .reset, .close, .stream, .resetStream, .goAway: true
            case .bytes, .pause: false
            }
        }
    }

    /// Whether If-Range, if there is one, names this version (RFC 9110, section 13.1.5).
    private func isFresh(_ request: RequestHead) -> Bool {
        guard let validator = request.firstValue(named: "if-range") else { return true }
        if let tag = header("etag"), EntityTag.stronglyEqual(validator, tag) { return true }
        return header("last-modified") == validator
    }

    /// The pieces' bytes in a range; pauses stay where they are.
    private static func slice(_ pieces: [Piece], _ range: Range<Int>) -> [Piece] {
        var position = 0
        return pieces.compactMap { piece in
            guard case .bytes(let bytes) = piece.kind else { return piece }
            let wanted = range.clamped(to: position..<(position + bytes.count))
            defer { position += bytes.count }
            return wanted.isEmpty ? nil : .bytes(bytes[(wanted.lowerBound - position)..<(wanted.upperBound - position)])
        }
    }
}

/// One range of bytes, as a request asks for it.
package enum ByteRange: Equatable, Sendable {
    case from(Int, through: Int?)
    case last(Int)

    /// Reads `bytes=first-last`, `bytes=first-` or `bytes=-count`; nil for anything else.
    package init?(_ value: String) {
        let bytes = Array(value.utf8)
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "=")), ASCII.equal(bytes[..<mark], "bytes") else {
            return nil
        }
        let specification = ASCII.trimmed(bytes[(mark + 1)...])
        guard let dash = specification.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let first = specification[..<dash]
        let last = specification[(dash + 1)...]
        switch (ASCII.saturatingDecimal(first), ASCII.saturatingDecimal(last)) {
        case (nil, let count?) where first.isEmpty: self = .last(count)
        case (let start?, nil) where last.isEmpty: self = .from(start, through: nil)
        case (let start?, let end?) where start <= end: self = .from(start, through: end)
        default: return nil
        }
    }

    /// The range in a body of so many bytes, nil if none of it is in there.
    package func resolved(in count: Int) -> Range<Int>? {
        switch self {
        case .from(let start, let end):
            guard start < count else { return nil }
            return start..<(end.map { min($0, count - 1) + 1 } ?? count)
        case .last(let length):
            guard length > 0, count > 0 else { return nil }
            return max(0, count - length)..<count
        }
    }
}
