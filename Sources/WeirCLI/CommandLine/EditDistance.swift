/// How far two words are apart, to guess what a mistyped one was meant to be.
enum EditDistance {
    /// The least number of insertions, deletions, replacements and swaps of neighbours that turn one into the other.
    ///
    /// The restricted (optimal string alignment) form. Complexity: O(product of the lengths).
    static func between(_ a: String, _ b: String) -> Int {
        let a = Array(a.utf8)
        let b = Array(b.utf8)
        var before: [Int] = []
        var previous = Array(0...b.count)
        for (i, byte) in a.enumerated() {
            var row = [i + 1]
            for (j, other) in b.enumerated() {
                var best = min(previous[j] + (byte == other ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, byte == b[j - 1], a[i - 1] == other { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            (before, previous) = (previous, row)
        }
        return previous[b.count]
    }

    /// The word nearest to what was typed, if it is near enough to have been meant.
    static func nearest(to typed: String, in words: [String]) -> String? {
        // A longer text than any word is not a slip of the fingers, and costs time to compare.
        guard (1...40).contains(typed.utf8.count) else { return nil }
        if typed.utf8.count >= 3, let word = words.first(where: { $0.utf8.starts(with: typed.utf8) }) { return word }
        let ranked = words.map { (word: $0, distance: between(typed.lowercased(), $0)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.word.utf8.count / 3) ? best.word : nil
    }
}
