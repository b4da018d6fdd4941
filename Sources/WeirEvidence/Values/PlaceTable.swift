/// The places in one response at which values stood, each with a small number: a tree of keys.
///
/// Keys are kept, values never. A key that is an identifier itself, as in a map from identifiers to things, is a
/// value: it is not kept, and its place is `[*]`. Array indices are no part of a place: they go with each value.
package struct PlaceTable: Sendable {
    enum Kind: UInt8 {
        /// `$`
        case root
        case member
        /// A member whose key is an identifier.
        case anyMember
        case element
        /// The key of an `anyMember`.
        case memberKey
        /// A header field or a part of one, by its name.
        case named
        /// A part of the parent's value, or what was made of it, by its name.
        case part
        /// A query parameter of the parent's value.
        case parameter
        /// More places than are told apart.
        case other
    }

    struct Node: Equatable {
        var parent: Int32
        var kind: Kind
        var nameStart: UInt32
        var nameCount: UInt16
        var traits: KeyTraits
        /// The child that came first the last time.
        var first: Int32 = -1
        /// The sibling that came after this one the last time.
        var follow: Int32 = -1
    }

    /// The most places; what stands at more shares one.
    static let maximum = 4096
    static let root: Int32 = 0
    static let other: Int32 = 1

    private(set) var nodes: [Node] = []
    private var names: [UInt8] = []
    private var children = HashTable()
    private var hash: ValueHash { ValueHash() }

    /// The table without what only finding further places needs.
    var settled: PlaceTable {
        var result = self
        result.children = HashTable()
        return result
    }

    /// The table with only these places, those around them, and the root.
    ///
    /// - Parameter places: Numbers of places; changed to what they are in the result.
    func keeping(_ places: inout [Int32]) -> PlaceTable {
        var result = PlaceTable()
        var numbers: [Int32: Int32] = [Self.root: Self.root, Self.other: Self.other]
        for index in places.indices {
            // From the outermost on, so that each is there before what is inside of it.
            var chain: [Int32] = []
            var place = places[index]
            while place >= 0, numbers[place] == nil {
                chain.append(place)
                place = nodes[Int(place)].parent
            }
            for place in chain.reversed() {
                var node = nodes[Int(place)]
                let name = name(of: node)
                node.nameStart = UInt32(result.names.count)
                node.parent = node.parent < 0 ? -1 : numbers[node.parent] ?? Self.other
                (node.first, node.follow) = (-1, -1)
                result.names.append(contentsOf: name)
                numbers[place] = Int32(result.nodes.count)
                result.nodes.append(node)
            }
            places[index] = numbers[places[index]] ?? Self.other
        }
        result.nodes = result.nodes.map { $0 }
        result.names = result.names.map { $0 }
        return result
    }

    /// A hash of what is in it.
    var contentHash: UInt64 {
        let names = names.withUnsafeBytes { hash($0) }
        return nodes.reduce(names) { result, node in
            let place = UInt64(UInt32(bitPattern: node.parent)) << 32 | UInt64(node.nameStart)
            return hash.combine(
                hash.combine(result, place), UInt64(node.traits.noun) << 16 | UInt64(node.traits.flags.rawValue))
        }
    }

    /// Whether the same is in both.
    func isEqual(to other: PlaceTable) -> Bool { nodes == other.nodes && names == other.names }

    private static let first = [Kind.root, .other].map {
        Node(parent: -1, kind: $0, nameStart: 0, nameCount: 0, traits: KeyTraits())
    }

    package init() { nodes = Self.first }

    /// The member of that key; `previous` is the one before it in the same object, or -1.
    @inline(__always)
    mutating func member(_ key: UnsafeRawBufferPointer, of parent: Int32, after previous: Int32) -> Int32 {
        // Objects of an array have their keys in the same order, nearly always.
        let guess = previous < 0 ? nodes[Int(parent)].first : nodes[Int(previous)].follow
        if guess >= 0, nodes[Int(guess)].parent == parent, isName(of: guess, key) { return guess }
        return findMember(key, of: parent, after: previous)
    }

    @inline(never)
    private mutating func findMember(_ key: UnsafeRawBufferPointer, of parent: Int32, after previous: Int32) -> Int32 {
        let found: Int32
        if Self.isIdentifier(key) {
            var traits = nodes[Int(parent)].traits
            traits.flags.insert(.identifies)
            found = child(.anyMember, UnsafeRawBufferPointer(start: nil, count: 0), of: parent, traits)
        } else {
            found = child(.member, key, of: parent, nil)
        }
        if previous < 0 { nodes[Int(parent)].first = found } else { nodes[Int(previous)].follow = found }
        return found
    }

    /// The elements of an array: whatever its key says is said of each of them.
    mutating func element(of parent: Int32) -> Int32 {
        let first = nodes[Int(parent)].first
        if first >= 0, nodes[Int(first)].kind == .element { return first }
        let found = child(.element, UnsafeRawBufferPointer(start: nil, count: 0), of: parent, nodes[Int(parent)].traits)
        nodes[Int(parent)].first = found
        return found
    }

    /// The key of a member, as a value.
    mutating func key(of member: Int32) -> Int32 {
        child(.memberKey, UnsafeRawBufferPointer(start: nil, count: 0), of: member, nodes[Int(member)].traits)
    }

    /// A header field, by a name for people and what its own name says.
    mutating func named(_ name: String, _ traits: KeyTraits) -> Int32 {
        Array(name.utf8).withUnsafeBytes { child(.named, $0, of: -1, traits) }
    }

    /// What was made of a value (`decoded`), or a part of it, about a thing of its own where `noun` is not 0.
    mutating func part(_ name: StaticString, of parent: Int32, noun: UInt32 = 0) -> Int32 {
        var traits = nodes[Int(parent)].traits
        if noun != 0 {
            traits.noun = noun
            traits.flags.insert(.identifies)
        }
        return name.withUTF8Buffer { child(.part, UnsafeRawBufferPointer($0), of: parent, traits) }
    }

    /// The value of a query parameter of a URL.
    mutating func parameter(_ name: UnsafeRawBufferPointer, of parent: Int32, _ traits: KeyTraits) -> Int32 {
        child(.parameter, name, of: parent, traits)
    }

    func traits(of place: Int32) -> KeyTraits { nodes[Int(place)].traits }
    @inline(__always)
    func flags(of place: Int32) -> KeyTraits.Flags { nodes[Int(place)].traits.flags }
    func kind(of place: Int32) -> Kind { nodes[Int(place)].kind }

    /// What a value at a place is about: the noun of its key, or of what it is inside of; 0 if nothing says so.
    func noun(of place: Int32) -> UInt32 {
        var place = place
        while place >= 0 {
            let noun = nodes[Int(place)].traits.noun
            if noun != 0 { return noun }
            place = nodes[Int(place)].parent
        }
        return 0
    }

    private mutating func child(
        _ kind: Kind, _ name: UnsafeRawBufferPointer, of parent: Int32, _ traits: KeyTraits?
    ) -> Int32 {
        let number = UInt64(kind.rawValue) << 32 | UInt64(UInt32(bitPattern: parent))
        let own = kind == .part ? UInt64(traits?.noun ?? 0) : 0
        let key = hash.combine(hash(name) ^ own, number)
        if let known = children[key] { return known }
        guard nodes.count < Self.maximum else { return Self.other }
        let kept = name.prefixed(128)
        let index = Int32(nodes.count)
        nodes.append(
            Node(
                parent: parent, kind: kind, nameStart: UInt32(names.count), nameCount: UInt16(kept.count),
                traits: traits ?? KeyTraits.of(name)))
        names.append(contentsOf: kept)
        children.set(key, to: index)
        return index
    }

    @inline(__always)
    private func isName(of place: Int32, _ key: UnsafeRawBufferPointer) -> Bool {
        let node = nodes[Int(place)]
        guard node.kind == .member, Int(node.nameCount) == key.count else { return false }
        let start = Int(node.nameStart)
        return names.withUnsafeBytes { names in
            for i in 0..<key.count where names[start + i] != key[i] { return false }
            return true
        }
    }

    /// Whether a key is an identifier rather than a name for one.
    package static func isIdentifier(_ key: UnsafeRawBufferPointer) -> Bool {
        var digits = 0
        for byte in key.prefixed(128) where ASCII.isDigit(byte) { digits += 1 }
        if digits == key.count { return digits > 0 }
        return digits >= 4 || key.count > 64 || (key.count >= 16 && ValueStrength(key) == .high)
            || key.contains(UInt8(ascii: "@"))
    }
}

extension PlaceTable {
    /// A place as text: `$[3].bookID`, after RFC 9535.
    func text(of place: Int32, indices: ArrayIndices) -> String {
        var chain: [Node] = []
        var next = place
        while next >= 0 {
            chain.append(nodes[Int(next)])
            next = chain[chain.count - 1].parent
        }
        let elements = chain.count { $0.kind == .element }
        var passed = 0
        var text = ""
        var suffix = ""
        var prefix = ""
        for node in chain.reversed() {
            switch node.kind {
            case .root: text = "$"
            case .other: text = "a value"
            case .member: text += Self.step(name(of: node))
            case .anyMember: text += "[*]"
            case .element:
                passed += 1
                text += indices[fromInnermost: elements - passed].map { "[\($0)]" } ?? "[*]"
            case .memberKey: prefix = "the key of "
            case .named: text = String(decoding: name(of: node), as: UTF8.self)
            case .parameter:
                suffix += " (its query parameter \(String(decoding: name(of: node), as: UTF8.self)))"
            case .part: suffix += " (\(String(decoding: name(of: node), as: UTF8.self)))"
            }
        }
        if let line = indices.text { suffix += " in line \(line)" }
        return prefix + text + suffix
    }

    private func name(of node: Node) -> ArraySlice<UInt8> {
        names[Int(node.nameStart)..<(Int(node.nameStart) + Int(node.nameCount))]
    }

    /// `.name`, or `['na me']` where the shorthand is not allowed.
    static func step(_ name: some Collection<UInt8>) -> String {
        let first = name.first ?? 0
        let isShort =
            !ASCII.isDigit(first)
            && name.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 >= 0x80 }
        if isShort, !name.isEmpty { return "." + String(decoding: name, as: UTF8.self) }
        var text = "['"
        for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case ..<" ", "\u{7F}"..."\u{9F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "']"
    }
}

/// The indices of a value in the innermost three arrays around it, and the number of its text.
package struct ArrayIndices: Sendable, Hashable {
    private static let bits: UInt64 = 20
    private static let mask: UInt64 = 1 << 20 - 1
    private var packed: UInt64 = 0
    /// The number of the text in a sequence of several, from 1.
    private(set) var textNumber: Int32 = 0

    init() {}

    init(text: Int) { textNumber = Int32(clamping: text) }

    /// Adds the index in an array inside the others.
    mutating func append(_ index: Int) {
        packed = packed << Self.bits | min(UInt64(index) + 1, Self.mask)
        packed &= 1 << 60 - 1
    }

    /// An index, counted from the innermost array; nil where it is not known.
    subscript(fromInnermost depth: Int) -> Int? {
        guard depth >= 0, depth < 3 else { return nil }
        let value = packed >> (UInt64(depth) * Self.bits) & Self.mask
        return value == 0 || value == Self.mask ? nil : Int(value) - 1
    }

    /// The number of the text, or nil where there is one text.
    var text: Int? { textNumber > 0 ? Int(textNumber) : nil }
}
