import WeirCoding

extension LocalServer {
    /// A content coding that a server can apply.
    public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
        /// gzip (RFC 1952).
        case gzip
        /// deflate, in its zlib form (RFC 1950).
        case deflate
        /// Brotli (RFC 7932).
        case br
        /// Zstandard (RFC 8878).
        case zstd

        var coding: WeirCoding.ContentCoding {
            switch self {
            case .gzip: .gzip
            case .deflate: .deflate
            case .br: .br
            case .zstd: .zstd
            }
        }
    }

    /// Whether bodies of a type shrink enough to be worth coding: text, JSON, XML, scripts and the like.
    ///
    /// - Parameter type: The value of Content-Type, or nil when there is none.
    public static func isWorthCoding(_ type: String?) -> Bool {
        guard let type else { return false }
        let essence = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        if essence.hasPrefix("text/") || essence.hasSuffix("+json") || essence.hasSuffix("+xml") { return true }
        return [
            "application/json", "application/x-ndjson", "application/ndjson", "application/jsonl",
            "application/json-seq", "application/xml", "application/javascript", "application/graphql",
            "application/wasm", "application/x-www-form-urlencoded", "application/manifest+json",
        ].contains(essence)
    }
}

extension LocalServer.Response {
    /// The answer coded as the client accepts it, where that pays.
    ///
    /// What depends on Accept-Encoding says so in Vary, coded or not. Each piece before a pause can be decoded when it
    /// arrives.
    func coded(for request: RequestHead, options: LocalServer.Options) -> LocalServer.Response {
        guard !options.contentCodings.isEmpty, isCodable(options) else { return self }
        var result = self
        result.addVary("Accept-Encoding")
        // A range is one of the plain body (RFC 9110, section 14.2): who asks for one gets it uncoded.
        guard request.firstValue(named: "range") == nil else { return result }
        let accepted = request.joinedValues(named: "accept-encoding")
        let offered = options.contentCodings.map(\.coding)
        guard let coding = WeirCoding.ContentCoding.negotiate(acceptEncoding: accepted, offering: offered),
            let pieces = try? Self.encode(body, with: coding, level: options.codingLevel),
            // A body that grew is better sent as it was.
            BodySummary(pieces).byteCount < BodySummary(body).byteCount
        else { return result }
        result.body = pieces
        result.headers.removeAll { ASCII.equal($0.0.utf8, "content-length") }
        result.headers.append(("Content-Encoding", coding.rawValue))
        result.suffixEntityTag(coding.rawValue)
        return result
    }

    private func isCodable(_ options: LocalServer.Options) -> Bool {
        guard status >= 200, status != 204, status != 206, status != 304, !isUnframed,
            header("content-encoding") == nil, header("content-range") == nil,
            options.isWorthCoding(header("content-type")),
            BodySummary(body).byteCount >= options.codingMinimum
        else { return false }
        // Bytes outside the framing would end up in the middle of a coded stream.
        let hasRaw = body.contains(where: \.isBeyondCounting)
        var mayTransform = true
        ASCII.forEachElement((header("cache-control") ?? "").utf8) { element in
            if ASCII.equal(element, "no-transform") { mayTransform = false }
        }
        return !hasRaw && mayTransform
    }

    private static func encode(
        _ pieces: [Piece], with coding: WeirCoding.ContentCoding, level: Int?
    ) throws(ContentCodingError) -> [Piece] {
        let encoder = try ContentEncoder(coding, level: level)
        let last = pieces.lastIndex { if case .bytes = $0.kind { true } else { false } }
        var result: [Piece] = []
        for (index, piece) in pieces.enumerated() {
            guard case .bytes(let bytes) = piece.kind else {
                result.append(piece)
                continue
            }
            // All that was said must be readable before a silence.
            var flush = ContentEncoder.Flush.none
            if index == last {
                flush = .finish
            } else if case .bytes = pieces[index + 1].kind {
                flush = .none
            } else {
                flush = .sync
            }
            let outcome: Result<[UInt8], ContentCodingError> = bytes.withUnsafeBytes { input in
                do throws(ContentCodingError) {
                    return .success(try encoder.encode(input, flush: flush))
                } catch {
                    return .failure(error)
                }
            }
            let output = try outcome.get()
            if !output.isEmpty { result.append(.bytes(output)) }
        }
        return result
    }
}
