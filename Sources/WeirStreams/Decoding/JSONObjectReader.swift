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
    }

    /// It lives as long as this reader; what is there is valid as long as the document.
    let place: UnsafeMutablePointer<Place>
    private var owner: JSONDocument?

    init(_ values: JSONValues, _ node: UInt32, _ index: UInt32) {
        place = .allocate(capacity: 1)
        place.initialize(to: Place(values: values, node: node, index: index))
    }

    deinit { place.deallocate() }

    /// Keeps the document alive, too.
    func keepDocument() { owner = place.pointee.values.owner }
}
