extension LocalServer.Response {
    /// The answer after what the server's options add to it: codings, entity tags, ranges.
    func shaped(for request: RequestHead, options: LocalServer.Options) -> LocalServer.Response {
        if !options.shapes { return self }
        return coded(for: request, options: options)
            .conditional(for: request, options: options)
            .ranged(for: request, options: options)
    }

    /// The value of a field of the answer; of a repeated one, the first.
    func header(_ lowercasedName: StaticString) -> String? {
        headers.first { ASCII.equal($0.0.utf8, lowercasedName) }?.1
    }

    mutating func addVary(_ name: String) {
        guard let index = headers.firstIndex(where: { ASCII.equal($0.0.utf8, "vary") }) else {
            headers.append(("Vary", name))
            return
        }
        let known = headers[index].1.split(separator: ",").map { $0.lowercased().filter { $0 != " " } }
        if !known.contains("*"), !known.contains(name.lowercased()) { headers[index].1 += ", " + name }
    }

    /// Tells the tag of a coded body from that of the plain one, which a strong tag must (RFC 9110, section 8.8.3.3).
    mutating func suffixEntityTag(_ suffix: String) {
        guard let index = headers.firstIndex(where: { ASCII.equal($0.0.utf8, "etag") }),
            headers[index].1.utf8.last == UInt8(ascii: "\"")
        else { return }
        headers[index].1 = headers[index].1.dropLast() + "-\(suffix)\""
    }
}

extension LocalServer.Response.Piece {
    /// Whether it has bytes that are not known to belong to the body, or not known yet.
    var isBeyondCounting: Bool {
        switch kind {
        case .raw, .stream: true
        case .bytes, .pause, .reset, .close, .resetStream, .goAway: false
        }
    }
}

extension LocalServer.Options {
    /// Whether any answer may be changed.
    var shapes: Bool { ranges || entityTags || !contentCodings.isEmpty }

    /// Whether shaping an answer would hold up the event thread, and with it every other connection's timing.
    func needsTime(for response: LocalServer.Response) -> Bool {
        guard entityTags || !contentCodings.isEmpty else { return false }
        return BodySummary(response.body).byteCount > 8_192
    }
}

extension ResponsePlan {
    /// Shapes and plans an answer on the concurrent pool.
    @concurrent
    static func makeElsewhere(
        _ response: LocalServer.Response, for request: LocalServer.Request, _ options: LocalServer.Options
    ) async -> ResponsePlan {
        make(
            response.shaped(for: request.head, options: options), for: RequestContext(request.head), date: HTTPDate.now)
    }
}

extension RequestHead {
    /// The value of the first field of that name, which must be lower case.
    func firstValue(named name: StaticString) -> String? {
        let field = fields.first { ASCII.equal(slice($0.name), name) }
        return field.map { text($0.value) }
    }

    /// The values of all fields of that name, which must be lower case, as one list; nil if there is none.
    func joinedValues(named name: StaticString) -> String? {
        let values = fields.filter { ASCII.equal(slice($0.name), name) }.map { text($0.value) }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
