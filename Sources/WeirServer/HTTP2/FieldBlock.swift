/// The fields of a head or of trailers as HTTP/2 has them: names in lower case, nothing between.
struct FieldBlock: Sendable, Equatable {
    private(set) var bytes: [UInt8] = []
    /// The lengths of a name and of its value, in turn.
    private(set) var lengths: [UInt32] = []

    var count: Int { lengths.count / 2 }

    /// Appends a field whose name and value together are shorter than 4 GiB.
    mutating func append(_ name: String, _ value: String) {
        for byte in name.utf8 { bytes.append(ASCII.lowercase(byte)) }
        bytes.append(contentsOf: value.utf8)
        lengths.append(UInt32(clamping: name.utf8.count))
        lengths.append(UInt32(clamping: value.utf8.count))
    }
}
