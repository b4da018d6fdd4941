import WeirModel

/// Header names to look for, found without making a string of each name that is not one of them.
struct HeaderNames: Sendable {
    /// The names that requests keep.
    static let inRequests = HeaderNames(HeaderField.keptInRequests)
    /// The names that responses keep, and those that only tell what kind of response it is.
    static let inResponses = HeaderNames(
        HeaderField.keptInResponses.union(["location", "non-authoritative-reason"]))

    /// The names in lower case, by length.
    private let names: [[String]]

    init(_ all: Set<String>) {
        var names: [[String]] = []
        for name in all.sorted() {
            let length = name.utf8.count
            while names.count <= length { names.append([]) }
            names[length].append(name)
        }
        self.names = names
    }

    /// The name in lower case, when it is one of those looked for, compared without regard to ASCII case.
    func name(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count < names.count else { return nil }
        for name in names[bytes.count] where Self.isEqual(name, bytes) { return name }
        return nil
    }

    private static func isEqual(_ name: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        name.utf8.withContiguousStorageIfAvailable { name in
            for i in 0..<min(name.count, bytes.count) where !asciiCaseInsensitiveEqual(name[i], bytes[i]) {
                return false
            }
            return true
        } ?? name.utf8.elementsEqual(bytes, by: asciiCaseInsensitiveEqual)
    }
}
