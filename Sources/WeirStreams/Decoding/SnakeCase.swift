import Foundation

/// Names with underscores, as `JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase` turns them into camel case.
enum SnakeCase {
    /// `one_two_three` becomes `oneTwoThree`; underscores at the beginning and at the end stay.
    static func converted(_ name: String) -> String {
        guard name.utf8.contains(0x5F) else { return name }
        let start = name.firstIndex { $0 != "_" }
        guard let start, let last = name.lastIndex(where: { $0 != "_" }) else { return name }
        let words = name[start...last].split(separator: "_")
        guard let first = words.first, words.count > 1 else { return name }
        let joined = words.dropFirst().reduce(into: first.lowercased()) { $0 += capitalized($1) }
        return name[..<start] + joined + name[name.index(after: last)...]
    }

    /// Foundation's `capitalized`, which knows words and alphabets, unless all are letters of ASCII.
    private static func capitalized(_ word: Substring) -> String {
        guard word.utf8.allSatisfy({ 0x61 <= $0 | 0x20 && $0 | 0x20 <= 0x7A }) else { return word.capitalized }
        return word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }
}
