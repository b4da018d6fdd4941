import Synchronization
import WeirModel

/// What can be found in a body, by its media type.
enum BodyFormat: Sendable, Hashable {
    /// JSON, one text or several.
    case json
    /// JSON, one text on each line.
    case jsonLines
    /// Server-sent events.
    case eventStream
    /// `application/x-www-form-urlencoded`.
    case form
    /// A short text can be a token; a long one is not looked into.
    case text
    /// Pictures, sound, fonts, archives: no values to be used in other requests.
    case inert
    /// Pages, scripts, XML, multipart and binary messages: there may be values, and they are not looked for.
    case unread
    /// No type is given: the first byte tells whether it is JSON.
    case unknown

    /// Whether bodies of a Content-Type are text, which shrinks.
    static func isCompressible(_ contentType: String) -> Bool {
        let bytes = contentType.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let name = String(decoding: bytes.map(ASCII.lowercased).filter { $0 > 0x20 }, as: UTF8.self)
        if name == "text/event-stream" { return false }
        return name.hasPrefix("text/") || name.hasSuffix("+json") || name.hasSuffix("+xml")
            || [
                "application/json", "application/javascript", "application/x-javascript", "application/xml",
                "application/x-ndjson", "application/ndjson", "application/graphql-response+json",
                "application/manifest+json", "application/wasm", "font/ttf", "font/otf", "image/bmp",
            ].contains(name)
    }

    /// Judges a Content-Type by its type and subtype.
    init(contentType: String?) {
        guard let contentType else {
            self = .unknown
            return
        }
        self = Self.known.format(contentType) ?? BodyFormat(reading: contentType)
    }

    private static let known = KnownFormats()

    fileprivate init(reading contentType: String) {
        let bytes = contentType.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let name = String(decoding: bytes.map(ASCII.lowercased).filter { $0 > 0x20 }, as: UTF8.self)
        self =
            switch name {
            case "": .unknown
            case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
                "application/jsonlines", "application/x-json-stream":
                .jsonLines
            case "text/event-stream": .eventStream
            case "application/x-www-form-urlencoded": .form
            case "text/plain": .text
            case "application/octet-stream": .unknown
            case "application/pdf", "application/zip", "application/gzip", "application/wasm", "text/css", "text/vtt":
                name == "text/css" ? .unread : .inert
            case "image/svg+xml": .unread
            default:
                if name == "application/json" || name == "text/json" || name.hasSuffix("+json")
                    || name.hasSuffix("/json-seq") || name.hasSuffix("+json-seq")
                {
                    .json
                } else if ["image/", "audio/", "video/", "font/", "application/font", "application/x-font"].contains(
                    where: name.hasPrefix)
                {
                    .inert
                } else {
                    .unread
                }
            }
    }
}

/// The formats of media types that were read before, of a fixed number of them; by salted hashes, as ``KnownKeys`` are.
private final class KnownFormats: Sendable {
    private static let size = 256

    private let entries = Lock([(hash: UInt64, format: BodyFormat)](repeating: (0, .unknown), count: size))

    /// The format of a Content-Type; nil where its bytes cannot be had without a copy.
    func format(_ contentType: String) -> BodyFormat? {
        let hash = contentType.utf8.withContiguousStorageIfAvailable { ValueHash()(UnsafeRawBufferPointer($0)) }
        guard let hash else { return nil }
        let place = Int(truncatingIfNeeded: hash) & (Self.size - 1)
        let known = entries.withLock { $0[place] }
        if known.hash == hash { return known.format }
        let format = BodyFormat(reading: contentType)
        entries.withLock { $0[place] = (hash, format) }
        return format
    }
}
