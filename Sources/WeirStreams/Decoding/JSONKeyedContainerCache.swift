/// Keyed containers that were used, by the type of their keys.
///
/// A new one costs an allocation and four searches for metadata, a third of the time of a small object. One whose user has let go of it
/// reads the next object instead.
struct JSONKeyedContainerCache {
    private struct Entry {
        /// What `KeyedDecodingContainer` consists of, a reference to a box; never nil, and first, to be read as a container.
        ///
        /// An existential that is not optional would be opened, and so copied, when it is asked whether it is the only
        /// reference.
        var box: AnyObject?
        var key: ObjectIdentifier
        var reader: JSONObjectReader
        /// A `Copier` of the container.
        var copier: AnyObject
    }

    /// Copies a container.
    ///
    /// Its own metadata has that of what it copies, for which one would have to search otherwise, each time.
    private final class Copier<Container>: Sendable {
        @inline(never)
        func copy(_ entry: UnsafeMutablePointer<Entry>) -> Container {
            UnsafeRawPointer(entry).assumingMemoryBound(to: Container.self).pointee
        }
    }

    private static let capacity = 16
    /// Where in a box the container's two words are, behind what every object has.
    private static let contents = 16

    /// Whether it is known what a container consists of: where the standard library comes with the program, the one it was
    /// written against. Where it comes with the system, a later one may be another.
    #if canImport(Darwin) || !(arch(x86_64) || arch(arm64))
    private static let isLayoutKnown = false
    #else
    private static let isLayoutKnown = true
    #endif

    private let entries: UnsafeMutablePointer<Entry>
    private var count = 0
    /// Whether the decoder's call lasts: what is made after it has to keep the document itself.
    private var isOpen = false

    init() { entries = .allocate(capacity: Self.capacity) }

    /// Gives back the memory; to be called once, at last.
    mutating func deallocate() {
        entries.deinitialize(count: count)
        entries.deallocate()
        count = 0
    }

    /// Begins a call of the decoder.
    mutating func open() { isOpen = true }

    /// A container of an object.
    @inline(__always)
    mutating func container<Key: CodingKey>(
        _ type: Key.Type, _ values: JSONValues, _ node: UInt32, _ index: UInt32
    ) -> KeyedDecodingContainer<Key> {
        let key = ObjectIdentifier(type)
        var place = 0
        while place < count {
            let entry = entries + place
            if entry.pointee.key == key {
                guard isOpen, isKnownUniquelyReferenced(&entry.pointee.box) else { break }
                entry.pointee.reader.read(values, node, index)
                // It was made from such a container, which is that reference and nothing else, when the entry was made.
                return unsafeDowncast(entry.pointee.copier, to: Copier<KeyedDecodingContainer<Key>>.self).copy(entry)
            }
            place &+= 1
        }
        return make(type, values, node, index)
    }

    @inline(never)
    private mutating func make<Key: CodingKey>(
        _ type: Key.Type, _ values: JSONValues, _ node: UInt32, _ index: UInt32
    ) -> KeyedDecodingContainer<Key> {
        let reader = JSONObjectReader(values, node, index, remembersNames: JSONKeyName.mayRemember(type))
        let key = ObjectIdentifier(type)
        if Self.isLayoutKnown, isOpen, count < Self.capacity,
            MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size,
            !(0..<count).contains(where: { entries[$0].key == key })
        {
            let container = KeyedDecodingContainer(JSONKeyedContainer<Key>(unkept: reader))
            let box = unsafeBitCast(container, to: AnyObject.self)
            // Looked at, rather than taken for granted: its place, and no keeper.
            let found = Self.contents(of: box).assumingMemoryBound(to: UInt.self)
            if found[0] == UInt(bitPattern: reader.place), found[1] == 0 {
                (entries + count).initialize(
                    to: Entry(box: box, key: key, reader: reader, copier: Copier<KeyedDecodingContainer<Key>>()))
                count += 1
                return container
            }
        }
        reader.keepDocument()
        return KeyedDecodingContainer(JSONKeyedContainer<Key>(reader))
    }

    /// Ends a call: a container that someone still has keeps its document from now on, and is forgotten here.
    mutating func close() {
        isOpen = false
        var place = 0
        while place < count {
            if isKnownUniquelyReferenced(&entries[place].box) {
                place += 1
                continue
            }
            count -= 1
            let entry = (entries + place).move()
            if place < count { (entries + place).moveInitialize(from: entries + count, count: 1) }
            guard let box = entry.box else { continue }
            entry.reader.keepDocument()
            // The box lets go of it when it goes away.
            let keeper = UInt(bitPattern: Unmanaged.passRetained(entry.reader).toOpaque())
            Self.contents(of: box).storeBytes(of: keeper, toByteOffset: MemoryLayout<UInt>.size, as: UInt.self)
        }
    }

    private static func contents(of box: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(box).toOpaque() + contents
    }
}
