import WeirModel

/// Header names to look for, found without making a string of each name that is not one of them.
struct HeaderNames: Sendable {
    /// The names that requests keep.
    static let inRequests = HeaderNames(HeaderField.keptInRequests)
    /// The names that responses keep, and those that only tell what kind of response it is.
    static let inResponses = HeaderNames(
        HeaderField.keptInResponses.union(["location", "non-authoritative-reason"]))

    private let names: [String]
    private let table: NameTable

    init(_ all: Set<String>) {
        names = all.sorted()
        table = NameTable(names)
    }

    /// The name in lower case, when it is one of those looked for, compared without regard to ASCII case.
    func name(_ bytes: UnsafeRawBufferPointer) -> String? { table.number(of: bytes).map { names[$0] } }
}
