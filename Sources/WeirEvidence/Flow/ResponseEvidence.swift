package import WeirModel

/// What a response says that a later request may use: hashes of values with their places, found as the bytes pass.
///
/// It keeps no content. A response of several exchanges (redirects) has several heads and one body.
package struct ResponseEvidence: Sendable {
    /// The most bytes of a text that is taken for one value.
    private static let textLimit = 4096

    private enum Body {
        case none
        case undecided(BodyFormat)
        case json
        case eventStream(EventLines)
        case text([UInt8])
        case ignored
        case unread
    }

    private var collector: SourceCollector
    private var scanner = JSONScalarScanner()
    private var body = Body.none
    private var isEnded = false

    /// Makes an empty one.
    ///
    /// - Parameter limit: The most values that are kept.
    package init(limit: Int = ValueFlow.Limits().valuesPerResponse) { collector = SourceCollector(limit: limit) }

    /// The values found so far.
    package var values: [SourceValue] { collector.values }

    /// Their places.
    package var places: PlaceTable { collector.places }

    /// Whether all that could be of use was looked at, once the end is known.
    ///
    /// False for bodies in formats that are not looked into, for what is not the JSON it says it is, and over the limits.
    package var isComplete: Bool {
        if collector.isFull || scanner.isTruncated { return false }
        switch body {
        case .none, .ignored, .undecided: return true
        case .json, .eventStream: return !scanner.isFailed && (!isEnded || scanner.isAtEnd)
        case .text(let bytes): return bytes.count < Self.textLimit
        case .unread: return false
        }
    }

    /// Takes the head of a response; the bytes that follow are its body's.
    package mutating func head(fields: some Sequence<HeaderField>) {
        var contentType: String?
        for field in fields {
            if field.isNamed("content-type") {
                contentType = field.value
            } else {
                HeaderValues.collect(field, into: &collector)
            }
        }
        body(contentType: contentType)
    }

    /// A body begins.
    package mutating func body(contentType: String?) {
        let format = BodyFormat(contentType: contentType)
        scanner = JSONScalarScanner()
        collector.countsTexts = format == .jsonLines
        body =
            switch format {
            case .json, .jsonLines, .unknown, .text: .undecided(format)
            case .eventStream: .eventStream(EventLines())
            case .inert: .ignored
            case .form, .unread: .undecided(.unread)
            }
        if case .eventStream = body { collector.countsTexts = true }
    }

    /// Takes the next bytes of the body, its content coding undone.
    package mutating func body(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        if case .undecided(let format) = body { decide(format, bytes) }
        switch body {
        case .json: scanner.push(bytes, into: &collector)
        case .eventStream(var lines):
            body = .none
            lines.push(bytes) { scanner.push($0, into: &collector) }
            body = .eventStream(lines)
        case .text(var text):
            body = .none
            text.append(contentsOf: bytes.prefix(max(0, Self.textLimit - text.count)))
            body = .text(text)
        case .none, .undecided, .ignored, .unread: break
        }
    }

    /// A body that is nothing but a value says no name for it.
    private static let wholeBody = KeyTraits("id token".utf8)

    /// The body is over.
    package mutating func end() {
        guard !isEnded else { return }
        isEnded = true
        switch body {
        case .json, .eventStream: scanner.finish(into: &collector)
        case .text(let text) where text.count < Self.textLimit:
            let place = collector.place(named: "the body", Self.wholeBody)
            text.withUnsafeBytes { text in
                let first = text.firstIndex { $0 > 0x20 } ?? text.count
                let last = text.lastIndex { $0 > 0x20 } ?? first
                if first < last { collector.add(UnsafeRawBufferPointer(rebasing: text[first...last]), at: place) }
            }
        default: break
        }
    }

    /// Whether nothing in the body could be of use, whatever it is.
    package var isInert: Bool { if case .ignored = body { true } else { false } }

    /// Whether the body is of a format that is not looked into, so that it counts as not seen if there is one.
    package var isUnread: Bool {
        switch body {
        case .undecided(.unread), .unread: true
        default: false
        }
    }

    /// The body was there and was not seen.
    package mutating func bodyIsMissing() { body = .unread }

    private mutating func decide(_ format: BodyFormat, _ bytes: UnsafeRawBufferPointer) {
        let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        let isStructured = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        switch format {
        case .json, .jsonLines: body = .json
        case .text: body = isStructured ? .json : .text([])
        case .unknown: body = isStructured ? .json : .unread
        default: body = .unread
        }
    }
}

/// Passes on the data of server-sent events, each line as one text.
struct EventLines: Sendable {
    private enum State: Sendable {
        /// So many bytes of the line's `data:` have been seen.
        case name(Int)
        case data
        case other
    }

    private var state = State.name(0)

    mutating func push(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        for i in 0..<bytes.count {
            let byte = bytes[i]
            if byte == 0x0A || byte == 0x0D {
                if case .data = state { body(UnsafeRawBufferPointer(rebasing: bytes[start...i])) }
                state = .name(0)
                continue
            }
            guard case .name(let seen) = state else { continue }
            let name: StaticString = "data:"
            if byte != name.utf8Start[seen] {
                state = .other
            } else if seen == 4 {
                state = .data
                start = i + 1
            } else {
                state = .name(seen + 1)
            }
        }
        if case .data = state, start < bytes.count { body(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    }
}
