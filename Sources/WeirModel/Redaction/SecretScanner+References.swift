extension SecretScanner {
    /// A URL around the `:` of its `://`: from the scheme to what cannot be in it.
    func url(at mark: Int) -> Finding? {
        guard mark + 3 < bytes.count, bytes[mark + 1] == UInt8(ascii: "/"), bytes[mark + 2] == UInt8(ascii: "/") else {
            return nil
        }
        // Letters, the longest that are known being about ten.
        var start = mark
        while start > 0, mark - start < 16, Self.isLetter(bytes[start - 1]) { start -= 1 }
        guard start < mark else { return nil }
        let stop = endOfReference(from: mark + 3)
        return stop > mark + 3 ? Finding(kind: .reference, range: start..<stop) : nil
    }

    /// A path that begins here: one of a home folder, or a reference of two segments or more.
    func path(at i: Int) -> Finding? {
        for folder in ["/home/", "/Users/"] as [StaticString] where hasExactText(folder, at: i) {
            let start = i + folder.utf8CodeUnitCount
            return Finding(
                kind: .user,
                range:
                    start..<end(from: start, atMost: 64) {
                        $0 > 0x20 && ![0x22, 0x27, 0x2F, 0x3A, 0x3C, 0x3E].contains($0)
                    })
        }
        guard i == 0 || [0x20, 0x22, 0x27, 0x28, 0x3C, 0x3D, 0x60].contains(bytes[i - 1]), i + 1 < bytes.count,
            Self.isAlphanumeric(bytes[i + 1])
        else { return nil }
        let stop = endOfReference(from: i + 1)
        let text = bytes[(i + 1)..<stop]
        guard text.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else { return nil }
        return Finding(kind: .reference, range: i..<stop)
    }

    private func endOfReference(from start: Int) -> Int {
        var stop = end(from: start) {
            $0 > 0x20 && ![0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B, 0x7C, 0x7D].contains($0)
        }
        // Marks of the sentence around it.
        while stop > start, [0x27, 0x2C, 0x2E, 0x3A, 0x3B, 0x29, 0x5D, 0x21].contains(bytes[stop - 1]) { stop -= 1 }
        return stop
    }
}
