import Foundation

/// The members of an object that are looked for in a HAR file, found in one pass over it.
///
/// Some twenty names are asked for of an entry that may have a hundred members: ``JSONView/subscript(_:)`` would pass over
/// them for each name.
struct HARMembers {
    private let object: JSONView
    // Unsafe, as the view is: who asks for members has the places, and finds no others in them meanwhile.
    private let places: UnsafePointer<Int32>

    fileprivate init(_ object: JSONView, _ places: UnsafePointer<Int32>) {
        self.object = object
        self.places = places
    }

    /// The value of a member; the last, where there are several of the name, as in JavaScript.
    subscript(key: HARKey) -> JSONView? {
        let place = places[key.rawValue]
        return place < 0 ? nil : object.value(at: Int(place))
    }
}

/// Where the members of one object are: memory that is used again for the next object of its kind.
///
/// Used by one thread at a time.
final class HARMemberPlaces {
    private let places: UnsafeMutablePointer<Int32>
    private let table = HARKeyTable.shared

    init() {
        places = .allocate(capacity: HARKey.allCases.count)
        places.initialize(repeating: -1, count: HARKey.allCases.count)
    }

    deinit { places.deallocate() }

    /// The members of an object, to be asked for until they are looked for in another one; of what is no object there are none.
    func members(of object: JSONView) -> HARMembers {
        places.update(repeating: -1, count: HARKeyTable.count)
        object.forEachMember { name, isEscaped, place in
            if let number = isEscaped ? table.number(ofEscaped: name) : table.number(of: name) {
                places[number] = Int32(truncatingIfNeeded: place)
            }
        }
        return HARMembers(object, places)
    }
}

/// Tells which name some bytes are, if they are one that is looked for.
private final class HARKeyTable: Sendable {
    static let shared = HARKeyTable()
    static let count = HARKey.allCases.count

    private static let size = 512

    private struct Slot: Sendable {
        var length = 0
        var number = 0
        var name: StaticString = ""
    }

    /// The names by a few of their bytes: open addressing, and most slots are free.
    private let slots: [Slot]

    private init() {
        var slots = [Slot](repeating: Slot(), count: Self.size)
        for key in HARKey.allCases {
            let name = UnsafeRawBufferPointer(start: key.name.utf8Start, count: key.name.utf8CodeUnitCount)
            var place = Self.place(of: name)
            while slots[place].length > 0 { place = (place + 1) & (Self.size - 1) }
            slots[place] = Slot(length: name.count, number: key.rawValue, name: key.name)
        }
        self.slots = slots
    }

    @inline(__always)
    private static func place(of name: UnsafeRawBufferPointer) -> Int {
        let (first, middle, last) = (Int(name[0]), Int(name[name.count >> 1]), Int(name[name.count - 1]))
        return (name.count &* 37 &+ first &* 5 &+ middle &* 11 &+ last &* 83) & (size - 1)
    }

    @inline(__always)
    func number(of name: UnsafeRawBufferPointer) -> Int? {
        guard let start = name.baseAddress, name.count > 0 else { return nil }
        var place = Self.place(of: name)
        while true {
            let slot = slots[place]
            if slot.length == 0 { return nil }
            if slot.length == name.count, memcmp(start, slot.name.utf8Start, name.count) == 0 { return slot.number }
            place = (place + 1) & (Self.size - 1)
        }
    }

    @inline(never)
    func number(ofEscaped name: UnsafeRawBufferPointer) -> Int? {
        JSONString.unescaped(name).withUnsafeBytes { number(of: $0) }
    }
}
