/// Keyed containers that were used, by the type of their keys.
///
/// A new one costs an allocation and four searches for metadata, a third of the time of a small object. One whose user has let go of it
/// reads the next object instead.
struct JSONKeyedContainerCache {
    private struct Entry {
        var key: ObjectIdentifier
        /// What `KeyedDecodingContainer` consists of, a reference to a box; never nil.
        ///
        /// An existential that is not optional would be opened, and so copied, when it is asked whether it is the only
        /// reference.
        var box: AnyObject?
        var reader: JSONObjectReader
    }

    private static let capacity = 16

    /// Whether it is known what a container consists of: where the standard library comes with the program, the one it was
    /// written against. Where it comes with the system, a later one may be another.
    #if canImport(Darwin)
    private static let isLayoutKnown = false
    #else
    private static let isLayoutKnown = true
    #endif

    private let entries: UnsafeMutablePointer<Entry>
    private var count = 0

    init() { entries = .allocate(capacity: Self.capacity) }

    /// Gives back the memory; to be called once, at last.
    mutating func deallocate() {
        entries.deinitialize(count: count)
        entries.deallocate()
        count = 0
    }

    /// A container of an object.
    @inline(__always)
    mutating func container<Key: CodingKey>(
        _ type: Key.Type, _ document: JSONDocument, _ node: UInt32, _ index: UInt32
    ) -> KeyedDecodingContainer<Key> {
        let key = ObjectIdentifier(type)
        var place = 0
        while place < count {
            if entries[place].key == key {
                // Of the same size, it is that reference and nothing else; this is what makes the cast right.
                guard MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size,
                    isKnownUniquelyReferenced(&entries[place].box), let box = entries[place].box
                else { break }
                entries[place].reader.read(document, node, index)
                return unsafeBitCast(box, to: KeyedDecodingContainer<Key>.self)
            }
            place &+= 1
        }
        return make(type, document, node, index)
    }

    @inline(never)
    private mutating func make<Key: CodingKey>(
        _ type: Key.Type, _ document: JSONDocument, _ node: UInt32, _ index: UInt32
    ) -> KeyedDecodingContainer<Key> {
        let reader = JSONObjectReader(document, node, index)
        let container = KeyedDecodingContainer(JSONKeyedContainer<Key>(reader: reader))
        let key = ObjectIdentifier(type)
        if Self.isLayoutKnown, count < Self.capacity,
            MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size,
            !(0..<count).contains(where: { entries[$0].key == key })
        {
            let entry = Entry(key: key, box: unsafeBitCast(container, to: AnyObject.self), reader: reader)
            (entries + count).initialize(to: entry)
            count += 1
        }
        return container
    }

    /// Lets the containers go of their document, and forgets those that someone still has.
    mutating func rest() {
        var place = 0
        while place < count {
            if isKnownUniquelyReferenced(&entries[place].box) {
                entries[place].reader.rest()
                place += 1
            } else {
                count -= 1
                let last = (entries + count).move()
                if place < count { entries[place] = last }
            }
        }
    }
}
