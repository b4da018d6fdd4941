import WeirModel

/// What an entry tells of sizes, in bytes, as written.
struct HARSizes: Sendable {
    var requestHead: Double?
    var requestBody: Double?
    var requestContentLength: Int64?
    /// `response.headersSize`.
    var head: Double?
    /// `response.bodySize`.
    var body: Double?
    /// `response._transferSize`: head and body.
    var transfer: Double?
    /// `response.content.size`.
    var content: Double?
    /// `response.content.compression`.
    var compression: Double?
    /// The size of `response.content.text`, looked at only when `content.size` says nothing.
    var text: Int64?
    var contentLength: Int64?
    /// Whether the Content-Encoding is a compression.
    var isCompressed = false

    /// A body size, and how far it can be relied on.
    struct Body: Equatable {
        var count: Int64?
        /// The size of the head is unknown and in the count.
        var includesHead = false
        /// The body was compressed, and only its decoded size was recorded.
        var isOnlyDecoded = false
    }

    /// The body as received: `_transferSize` - `headersSize`, else `bodySize`, else Content-Length, else unknown.
    ///
    /// - Parameter isComplete: Whether all that was announced arrived.
    func receivedBody(exporter: HARExporter, isComplete: Bool) -> Body {
        if exporter == .internetExplorer, isCompressed {
            // Its bodySize is the decoded one.
            return Body(count: contentLength, isOnlyDecoded: contentLength == nil)
        }
        if transfer == 0 { return Body(count: 0) }
        if let transfer = Self.count(transfer), let head = Self.count(head), transfer >= head {
            return Body(count: transfer - head)
        }
        if let body = Self.count(body) { return Body(count: body) }
        let transfer = Self.count(transfer)
        if isComplete, let contentLength, transfer.map({ contentLength <= $0 }) ?? true {
            return Body(count: contentLength)
        }
        return Body(count: transfer, includesHead: transfer != nil)
    }

    /// The body after decoding.
    var decodedBody: Int64? {
        guard let content = Self.count(content) else { return text }
        // mitmproxy writes the encoded size here, and the difference in `compression`.
        if let compression = Self.count(compression), compression > 0, Self.count(body) == content {
            return content + compression
        }
        return content > 0 ? content : text ?? 0
    }

    /// A size that is known: not negative, and small enough to be one.
    static func count(_ value: Double?) -> Int64? {
        guard let value, value >= 0, value < 1e15 else { return nil }
        return Int64(exactly: value.rounded())
    }
}
