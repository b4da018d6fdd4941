/// The object that a keyed container reads; the container refers to nothing else, since the standard library copies it for every
/// member.
final class JSONObjectReader {
    /// Valid while `owner` is set, which it is while anyone but the cache can reach this.
    private(set) var values: JSONValues
    private(set) var node: UInt32
    /// Which of the document's indices has the values by key, from 1; 0 when the keys can be compared as bytes.
    private(set) var index: UInt32
    private var owner: JSONDocument?

    init(_ document: JSONDocument, _ node: UInt32, _ index: UInt32) {
        values = document.values
        self.node = node
        self.index = index
        owner = document
    }

    @inline(__always)
    func read(_ document: JSONDocument, _ node: UInt32, _ index: UInt32) {
        values = document.values
        self.node = node
        self.index = index
        owner = document
    }

    /// Lets go of the document.
    func rest() { owner = nil }
}
