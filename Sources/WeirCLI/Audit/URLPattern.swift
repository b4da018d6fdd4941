/// What `--exclude` takes: a part of a URL, a whole one with stars, or a regular expression.
struct URLPattern: Sendable {
    private enum Form: Sendable {
        case part([UInt8])
        case whole([[UInt8]])
        case expression(UncheckedRegex)
    }

    /// A compiled expression, which is a value that is only read.
    ///
    /// `Regex` lacks the `Sendable` it deserves: it could hold custom components. One made from text holds none, so
    /// sharing it between tasks is safe.
    private struct UncheckedRegex: @unchecked Sendable {
        let regex: Regex<AnyRegexOutput>
    }

    private let form: Form

    /// Reads a pattern; nil for an expression that is none.
    init?(_ text: String) {
        if text.utf8.starts(with: "re:".utf8) {
            guard let regex = try? Regex(String(text.dropFirst(3))) else { return nil }
            form = .expression(UncheckedRegex(regex: regex))
        } else if text.utf8.contains(UInt8(ascii: "*")) {
            form = .whole(
                text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init))
        } else {
            form = .part(Array(text.utf8))
        }
    }

    /// Whether a URL fits.
    ///
    /// Complexity: O(URL x pattern) without an expression.
    func matches(_ url: String) -> Bool {
        switch form {
        case .part(let part): Self.find(part, in: Array(url.utf8)[...]) != nil
        case .whole(let parts): Self.matches(parts, Array(url.utf8)[...])
        case .expression(let expression): (try? expression.regex.firstMatch(in: url)) != nil
        }
    }

    /// The first and last part are fixed at the ends; those between are found from the left, each as early as it can be.
    private static func matches(_ parts: [[UInt8]], _ url: ArraySlice<UInt8>) -> Bool {
        guard let first = parts.first, let last = parts.last, url.starts(with: first) else { return false }
        var rest = url.dropFirst(first.count)
        guard rest.count >= last.count, rest.suffix(last.count).elementsEqual(last) else { return false }
        rest = rest.dropLast(last.count)
        for part in parts.dropFirst().dropLast() {
            guard let found = find(part, in: rest) else { return false }
            rest = rest[(found + part.count)...]
        }
        return true
    }

    private static func find(_ part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= part.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - part.count)).first { bytes[$0...].starts(with: part) }
    }
}
