/// The media type of a file by the end of its name.
enum MediaType {
    private static let byExtension: [String: String] = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "json": "application/json", "map": "application/json", "geojson": "application/geo+json",
        "jsonld": "application/ld+json", "har": "application/json", "webmanifest": "application/manifest+json",
        "ndjson": "application/x-ndjson", "jsonl": "application/x-ndjson", "json-seq": "application/json-seq",
        "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8",
        "sse": "text/event-stream", "xml": "application/xml", "rss": "application/rss+xml",
        "atom": "application/atom+xml",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "ico": "image/vnd.microsoft.icon", "heic": "image/heic",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "wav": "audio/wav", "ogg": "audio/ogg", "mp4": "video/mp4",
        "webm": "video/webm", "mov": "video/quicktime", "m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip", "wasm": "application/wasm",
    ]

    /// The type, or that of bytes of any kind.
    static func of(path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "application/octet-stream" }
        return byExtension[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }
}
