/// The object that a keyed container reads.
///
/// The standard library copies a container for every member. So one of the ``JSONKeyedContainerCache`` has the address of this object's
/// place alone, for which no reference is counted, and refers to this object only when it outlives the decoder's call.
final class JSONObjectReader {
    /// Which object it is.
    struct Place {
        var values: JSONValues
        var node: UInt32
        /// Which of the document's indices has the values by key, from 1; 0 when the keys can be compared as bytes.
        var index: UInt32
        /// The object's key that is taken to be asked for next, and the one that was found last.
        var next: UInt32
        var last: UInt32
        /// The texts of keys that were asked for before, if they may be remembered.
        var names: UnsafeMutablePointer<JSONKeyName>?

        init(_ values: JSONValues, _ node: UInt32, _ index: UInt32, names: UnsafeMutablePointer<JSONKeyName>? = nil) {
            self.values = values
            self.node = node
            self.index = index
            self.names = names
            next = node &+ 1
            last = next
        }
    }

    /// It lives as long as this reader; what is there is valid as long as the document.
    let place: UnsafeMutablePointer<Place>
    private let names: UnsafeMutablePointer<JSONKeyName>?
    private var owner: JSONDocument?

    /// - Parameter remembersNames: Whether the keys are of a type of which the texts may be remembered.
    init(_ values: JSONValues, _ node: UInt32, _ index: UInt32, remembersNames: Bool = false) {
        names = remembersNames ? .allocate(capacity: JSONKeyName.capacity) : nil
        names?.initialize(repeating: JSONKeyName(), count: JSONKeyName.capacity)
        place = .allocate(capacity: 1)
        place.initialize(to: Place(values, node, index, names: names))
    }

    deinit {
        place.deallocate()
        names?.deallocate()
    }

    /// Goes on to another object.
    @inline(__always)
    func read(_ values: JSONValues, _ node: UInt32, _ index: UInt32) {
        place.pointee = Place(values, node, index, names: names)
    }

    /// Keeps the document alive, too.
    func keepDocument() { owner = place.pointee.values.owner }
}
