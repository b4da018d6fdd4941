import WeirModel

/// The ways to see a request as one of several that differ in one place: a path segment or a value of the query.
///
/// Each way is a hash of the URL without that place, since most URLs have several and few of them are shared: text is
/// made only of those that are.
enum RequestTemplate {
    /// What varies.
    enum Place {
        /// The path segment of that number, counted from the slash before the first.
        case segment(Int)
        /// The value of the query's item of that number.
        case item(Int)
        /// The body, or what a GET has in its place: all of the query.
        case body
    }

    /// How many places of a path, and of a query, are tried: a hostile URL has thousands, and each costs its whole length.
    private static let limit = 16

    private static let slash = UInt8(ascii: "/")
    private static let ampersand = UInt8(ascii: "&")
    private static let equals = UInt8(ascii: "=")

    /// Calls `body` with each way's hash and place, those of the path's end first.
    static func forEach(of fact: RequestFacts, _ body: (Int, Place) -> Void) {
        let path = Array(fact.path.utf8)
        path.withUnsafeBytes { path in
            for (number, segment) in parts(path, slash).enumerated().reversed().lazy
                .filter({ $0.offset > 1 && !$0.element.isEmpty }).prefix(limit)
            {
                body(hash(path, without: segment, 0, path[..<0]), .segment(number))
            }
        }
        guard let query = fact.query else { return }
        Array(query.utf8).withUnsafeBytes { query in
            for (number, item) in items(query).prefix(limit).enumerated() {
                guard let value = value(of: item, in: query),
                    !isPaging(query[item.lowerBound..<(value.lowerBound - 1)])
                else { continue }
                path.withUnsafeBytes { body(hash(query, without: value, 1, $0[...]), .item(number)) }
            }
        }
    }

    /// The URL with `:id` or `:value` in the place.
    static func text(of fact: RequestFacts, _ place: Place) -> String {
        switch place {
        case .body: return fact.path
        case .segment(let number):
            var segments = fact.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            if segments.indices.contains(number) { segments[number] = ":id" }
            return segments.joined(separator: "/")
        case .item(let number):
            var items = (fact.query ?? "").split(separator: "&").map(String.init)
            if items.indices.contains(number) {
                let name = items[number].prefix { $0 != "=" }
                items[number] = name + "=:value"
            }
            return fact.path + "?" + items.joined(separator: "&")
        }
    }

    /// What a request has in the place.
    static func value(of fact: RequestFacts, _ place: Place) -> String {
        switch place {
        case .body: return fact.requestBody.map { String($0.rawValue, radix: 36) } ?? fact.query ?? ""
        case .segment(let number):
            return part(fact.path, number) { parts($0, slash) }
        case .item(let number):
            return part(fact.query ?? "", number) { query in
                items(query).map { value(of: $0, in: query) ?? $0 }
            }
        }
    }

    private static func part(
        _ text: String, _ number: Int, _ split: (UnsafeRawBufferPointer) -> [Range<Int>]
    ) -> String {
        Array(text.utf8).withUnsafeBytes { bytes in
            let parts = split(bytes)
            return parts.indices.contains(number) ? String(decoding: bytes[parts[number]], as: UTF8.self) : ""
        }
    }

    /// The parts between separators, empty ones too.
    private static func parts(_ bytes: UnsafeRawBufferPointer, _ separator: UInt8) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = 0
        for position in bytes.indices where bytes[position] == separator {
            result.append(start..<position)
            start = position + 1
        }
        result.append(start..<bytes.count)
        return result
    }

    /// The items of a query that are not empty.
    private static func items(_ query: UnsafeRawBufferPointer) -> [Range<Int>] {
        parts(query, ampersand).filter { !$0.isEmpty }
    }

    /// Where an item's value is; nil without one.
    private static func value(of item: Range<Int>, in query: UnsafeRawBufferPointer) -> Range<Int>? {
        guard let equals = query[item].firstIndex(of: equals), equals > item.lowerBound, equals + 1 < item.upperBound
        else { return nil }
        return (equals + 1)..<item.upperBound
    }

    private static func hash(
        _ bytes: UnsafeRawBufferPointer, without range: Range<Int>, _ kind: UInt8,
        _ prefix: Slice<UnsafeRawBufferPointer>
    ) -> Int {
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: prefix))
        hasher.combine(prefix.count)
        hasher.combine(range.lowerBound)
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<range.lowerBound]))
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[range.upperBound...]))
        return hasher.finalize()
    }

    private static let pagingNames: Set<String> = [
        "page", "offset", "limit", "start", "cursor", "after", "before", "skip", "from", "size", "per_page", "_",
        "t", "ts",
    ]

    private static func isPaging(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        name.count <= 8 && pagingNames.contains(String(decoding: name, as: UTF8.self).lowercased())
    }
}
