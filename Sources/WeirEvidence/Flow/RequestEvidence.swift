package import Foundation
package import WeirModel

/// What a request carries that may have come from an earlier response: hashes of values with their places.
package struct RequestEvidence: Sendable {
    /// The body of a request.
    package enum Body {
        case none
        case data(Data)
        /// Names and values of a form.
        case fields([(name: String, value: String)])
        /// There is one, and it cannot be looked at.
        case unseen
    }

    /// The most values of one request.
    static let maximum = 20_000

    private(set) var values: [RequestValue] = []
    private(set) var places: [RequestPlace] = []
    /// Whether everything that could have come from a response was looked at.
    package private(set) var isComplete = true
    /// One for all requests of the same method, host, path and query.
    private(set) var resource: UInt64
    /// One for all requests to the same host and path.
    private(set) var route: UInt64
    /// One for all requests that differ in no more than which page of a list they ask for, by number.
    private(set) var list: UInt64
    /// Whether it asks for a page by number or by offset.
    private(set) var isNumberedPage = false
    /// What the path is about.
    private(set) var noun: UInt32 = 0
    /// Whether it may change something.
    let isUnsafe: Bool
    /// Whether it asks for a picture, a script, a font or the like.
    private(set) var isAsset = false
    /// Whether its path is one that signs somebody in.
    private(set) var signsIn = false

    private var hash: ValueHash { ValueHash() }

    /// Drops the values that do not fit, and the places at which there is none.
    ///
    /// - Parameter tables: The places of other requests, of which many have the same.
    mutating func keep(sharing tables: inout PlaceTables, _ fits: (UInt64) -> Bool) {
        var kept: [RequestValue] = []
        var keptPlaces: [RequestPlace] = []
        var number: Int32 = -1
        for var value in values where fits(value.hash) {
            if value.place != number || keptPlaces.isEmpty {
                number = value.place
                keptPlaces.append(places[Int(value.place)])
            }
            value.place = Int32(keptPlaces.count - 1)
            kept.append(value)
        }
        values = Self.exact(kept)
        places = keptPlaces.isEmpty ? [] : tables.shared(Self.exact(keptPlaces))
    }

    /// A copy that takes no more room than its elements.
    private static func exact<Element>(_ elements: [Element]) -> [Element] {
        if elements.isEmpty { return [] }
        return [Element](unsafeUninitializedCapacity: elements.count) { buffer, count in
            count = buffer.initialize(fromContentsOf: elements)
        }
    }

    /// Looks through a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL.
    ///   - fields: The header fields.
    ///   - body: The body.
    package init(
        method: String, url: RequestURL, fields: some Sequence<HeaderField>, body: Body = .none
    ) {
        isUnsafe = method != "GET" && method != "HEAD" && method != "OPTIONS" && method != "TRACE"
        values.reserveCapacity(24)
        places.reserveCapacity(10)
        resource = url.resourceHash ^ UInt64(method.utf8.count) &* 0x9E37_79B9_7F4A_7C15
        route = 0
        list = 0
        var text = url.absoluteString
        text.withUTF8 { addURL(UnsafeRawBufferPointer($0)) }
        var contentType: String?
        for field in fields {
            if field.isNamed("content-type") {
                contentType = field.value
            } else {
                addField(field)
            }
        }
        let before = values.count
        add(body, contentType: contentType)
        // One URL can serve many things, told apart by the body (GraphQL).
        resource = values[before...].reduce(resource) { hash.combine($0, $1.hash) }
    }

    /// Whether a header field of this name is looked at; of all others nothing is taken.
    package static func concerns(_ name: UnsafeRawBufferPointer) -> Bool {
        name.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false || fieldNames.contains(name)
    }

    private static let fieldNames = NameTable(["content-type", "cookie", "authorization"])

    // MARK: URL

    private mutating func addURL(_ bytes: UnsafeRawBufferPointer) {
        let parts = ReferenceParts(bytes)
        let origin = parts.whole.count - parts.pathAndQuery.count
        route = hash(UnsafeRawBufferPointer(rebasing: bytes[..<(origin + parts.path.count)]), .route)
        if parts.path.count > 1 || !parts.query.isEmpty {
            let url = place(RequestPlace(kind: .url))
            append(parts.whole, at: url)
            append(ValueForms.withoutLeadingSlash(parts.pathAndQuery), at: url)
        }
        addPath(parts)
        addQuery(parts.query)
    }

    private mutating func addPath(_ parts: ReferenceParts) {
        var segments: [(start: Int, bytes: UnsafeRawBufferPointer)] = []
        segments.reserveCapacity(8)
        parts.eachSegment { _, start, segment in segments.append((start, segment)) }
        if segments.count > 1 {
            let path = place(RequestPlace(kind: .path))
            // Also without what may be a fixed beginning: `covers/1.jpg` under `/static/`.
            for segment in segments.prefix(16).dropLast() {
                append(UnsafeRawBufferPointer(rebasing: parts.path[segment.start...]), at: path)
            }
        }
        var previous = KeyTraits()
        for (index, segment) in segments.enumerated() {
            let bytes = segment.bytes
            let isLast = index == segments.count - 1
            let place = place(RequestPlace(kind: .segment(index + 1, isLast: isLast), noun: previous.noun))
            appendForms(of: bytes, at: place, isQuery: false)
            if isLast, let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0, bytes.count - dot <= 6 {
                append(UnsafeRawBufferPointer(rebasing: bytes[..<dot]), at: place)
                isAsset = Self.assets.contains(UnsafeRawBufferPointer(rebasing: bytes[(dot + 1)...]))
            }
            // An identifier is no noun: `/users/8841/10432`.
            previous = PlaceTable.isIdentifier(bytes) ? KeyTraits() : KeyTraits.of(bytes)
            if previous.noun != 0 { noun = previous.noun }
            if Self.isSignIn(bytes) { signsIn = true }
        }
    }

    private mutating func addQuery(_ query: UnsafeRawBufferPointer) {
        var rest = route
        ReferenceParts.eachPair(query) { name, value in
            let traits = KeyTraits.of(name)
            // The number of a page was counted, not received.
            let isNumber = traits.flags.contains(.isOffset) && value.allSatisfy(ASCII.isDigit)
            if isNumber {
                isNumberedPage = true
                return
            }
            rest = rest &+ hash.combine(hash(name), hash(value))
            let place = place(
                RequestPlace(
                    kind: .query, name: String(decoding: name.prefixed(64), as: UTF8.self), traits: traits,
                    noun: traits.noun == 0 ? noun : traits.noun))
            appendForms(of: value, at: place, isQuery: true)
        }
        list = rest
    }

    private static let assets = NameTable([
        "avif", "css", "eot", "gif", "heic", "ico", "jpeg", "jpg", "js", "map", "mjs", "mp3", "mp4", "otf", "png",
        "svg",
        "ttf", "webm", "webp", "woff", "woff2",
    ])

    private static func isSignIn(_ segment: UnsafeRawBufferPointer) -> Bool {
        guard segment.count <= 32 else { return false }
        // Its letters alone count.
        return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { word in
            var count = 0
            for byte in segment where ASCII.isLetter(byte) {
                word[count] = byte
                count += 1
            }
            return signIns.contains(UnsafeRawBufferPointer(rebasing: word[..<count]))
        }
    }

    private static let signIns = NameTable([
        "login", "signin", "logon", "token", "oauth", "auth", "session", "sessions", "authenticate", "authorize", "sso",
        "callback", "refresh",
    ])

    // MARK: Fields

    private mutating func addField(_ field: HeaderField) {
        var value = field.value
        value.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            guard !bytes.isEmpty, bytes.count <= 64 * 1024 else { return }
            if HeaderValues.isName(field.name, "cookie") {
                for part in bytes.split(separator: UInt8(ascii: ";")) {
                    addCookie(bytes.trimmed(part.startIndex..<part.endIndex))
                }
                return
            }
            let isAuthorization = HeaderValues.isName(field.name, "authorization")
            guard isAuthorization || field.name.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "x") else { return }
            let traits = HeaderValues.traits(ofName: field.name)
            let place = place(
                RequestPlace(kind: .header, name: String(field.name.prefix(64)), traits: traits, noun: traits.noun))
            append(bytes, at: place)
            let credential = HeaderValues.withoutScheme(bytes)
            appendForms(of: credential, at: place, isQuery: false)
        }
    }

    private mutating func addCookie(_ pair: UnsafeRawBufferPointer) {
        guard let mark = pair.firstIndex(of: UInt8(ascii: "=")), mark > 0 else { return }
        let name = UnsafeRawBufferPointer(rebasing: pair[..<mark])
        let value = pair.trimmed((mark + 1)..<pair.count).unquoted
        let traits = KeyTraits.of(name)
        let place = place(
            RequestPlace(
                kind: .cookie, name: String(decoding: name.prefixed(64), as: UTF8.self), traits: traits,
                noun: traits.noun))
        values.append(RequestValue(hash: hash(pair, .cookie), place: place, isCookie: true))
        appendForms(of: value, at: place, isQuery: false)
    }

    // MARK: Body

    private mutating func add(_ body: Body, contentType: String?) {
        switch body {
        case .none: break
        case .unseen: isComplete = BodyFormat(contentType: contentType) == .inert
        case .fields(let fields):
            for (name, value) in fields {
                var name = name
                var value = value
                name.withUTF8 { name in
                    value.withUTF8 { addField(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer($0), isCoded: true) }
                }
            }
        case .data(let data):
            // In one piece, as almost always, without a copy.
            if data.isEmpty { break }
            data.withUnsafeBytes { addBody($0, BodyFormat(contentType: contentType)) }
        }
    }

    private mutating func addBody(_ bytes: UnsafeRawBufferPointer, _ format: BodyFormat) {
        let first = bytes.first { $0 > 0x20 }
        let isStructured = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        switch format {
        case .json, .jsonLines: isComplete = addJSON(bytes, inside: nil)
        case .form: ReferenceParts.eachPair(bytes) { addField($0, $1, isCoded: true) }
        case .inert: break
        case .text, .unknown, .unread, .eventStream:
            if isStructured {
                isComplete = addJSON(bytes, inside: nil)
            } else if format == .text, bytes.count <= 4096 {
                appendForms(of: bytes.trimmed(0..<bytes.count), at: place(RequestPlace(kind: .text)), isQuery: false)
            } else {
                isComplete = false
            }
        }
    }

    private mutating func addField(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isCoded: Bool) {
        let traits = KeyTraits.of(name)
        if traits.flags.contains(.isOffset), value.allSatisfy(ASCII.isDigit) { return }
        let place = place(
            RequestPlace(
                kind: .form, name: String(decoding: name.prefixed(64), as: UTF8.self), traits: traits,
                noun: traits.noun == 0 ? noun : traits.noun))
        appendForms(of: value, at: place, isQuery: isCoded)
    }

    /// Adds the scalars of JSON; `inside` names the parameter that holds it.
    ///
    /// - Returns: Whether it was JSON and all of it was looked at.
    private mutating func addJSON(_ bytes: UnsafeRawBufferPointer, inside name: String?) -> Bool {
        var scanner = JSONScalarScanner()
        var scalars = RequestScalars()
        scanner.push(bytes, into: &scalars)
        scanner.finish(into: &scalars)
        var known: [Int32: Int32] = [:]
        for scalar in scalars.scalars {
            let index: Int32
            if let place = known[scalar.place] {
                index = place
            } else {
                let traits = scalars.places.traits(of: scalar.place)
                let noun = scalars.places.noun(of: scalar.place)
                index = place(
                    RequestPlace(
                        kind: name == nil ? .body : .nested,
                        name: name ?? scalars.places.text(of: scalar.place, indices: scalar.indices), traits: traits,
                        noun: noun == 0 ? self.noun : noun))
                known[scalar.place] = index
            }
            if values.count < Self.maximum {
                values.append(RequestValue(hash: scalar.hash, place: index, isDerived: scalar.isDerived))
            }
        }
        return !scanner.isFailed && scanner.isAtEnd && !scanner.isTruncated && values.count < Self.maximum
    }

    // MARK: Values

    private mutating func place(_ place: RequestPlace) -> Int32 {
        places.append(place)
        return Int32(places.count - 1)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, at place: Int32, isDerived: Bool = false) {
        guard !bytes.isEmpty else { return }
        guard values.count < Self.maximum else {
            isComplete = false
            return
        }
        values.append(
            RequestValue(hash: hash(ValueForms.withoutLeadingSlash(bytes)), place: place, isDerived: isDerived))
    }

    /// Adds a value, and what it is when it is decoded or taken apart.
    private mutating func appendForms(of bytes: UnsafeRawBufferPointer, at place: Int32, isQuery: Bool) {
        append(bytes, at: place)
        if let decoded = ValueForms.percentDecoded(bytes, plusIsSpace: isQuery) {
            decoded.withUnsafeBytes {
                append($0, at: place)
                appendParts(of: $0, at: place)
            }
        } else {
            appendParts(of: bytes, at: place)
        }
    }

    private mutating func appendParts(of bytes: UnsafeRawBufferPointer, at place: Int32) {
        let first = bytes.first
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            _ = addJSON(bytes, inside: places[Int(place)].text)
            return
        }
        ValueForms.eachPart(bytes) { append($0, at: place) }
        guard let decoded = ValueForms.base64Decoded(bytes) else { return }
        decoded.withUnsafeBytes { decoded in
            if decoded[0] == UInt8(ascii: "{") || decoded[0] == UInt8(ascii: "[") {
                _ = addJSON(decoded, inside: places[Int(place)].text)
                return
            }
            append(decoded, at: place, isDerived: true)
            ValueForms.eachPart(decoded) { append($0, at: place, isDerived: true) }
        }
    }
}
