/// A key of a coding path, or one that a decoder asks for by itself.
struct JSONCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    /// An element's.
    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    static let parent = JSONCodingKey(stringValue: "super")
}
