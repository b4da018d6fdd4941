public import WeirModel

/// What a response is, by its media type: the kinds for which a budget can set limits.
public enum ResourceKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// HTML.
    case document
    /// JavaScript.
    case script
    /// CSS.
    case stylesheet
    /// Images of all types.
    case image
    /// Audio and video.
    case media
    /// Fonts.
    case font
    /// What is none of these, such as JSON.
    case other

    /// Of a task's outcome; ``other`` also where the type is unknown.
    public init(_ record: TaskRecord) {
        let type = record.outcome?.response?.headerFields["content-type"]?.lowercased() ?? ""
        let essence = String(type.prefix { $0 != ";" && $0 != " " })
        let kinds: [(String, ResourceKind)] = [
            ("html", .document), ("javascript", .script), ("ecmascript", .script), ("text/css", .stylesheet),
            ("image/", .image), ("video/", .media), ("audio/", .media), ("mpegurl", .media), ("font", .font),
        ]
        self = kinds.first { essence.contains($0.0) }?.1 ?? .other
    }
}
