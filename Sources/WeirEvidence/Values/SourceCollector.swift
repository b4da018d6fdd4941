/// A value in a response: its hash, where it stood, and how much it tells.
package struct SourceValue: Sendable {
    var hash: UInt64
    var place: Int32
    var strength: ValueStrength
    /// Whether it was decoded from what stood there.
    var isDerived = false
    /// Whether it is a cookie: its name and value, or its value alone.
    var isCookie = false
    var indices: ArrayIndices
}

/// Turns the scalars of a response into hashes with their places.
package struct SourceCollector: JSONScalarSink {
    private struct Frame {
        var container: Int32
        /// In an object, the member that is read; in an array, its elements.
        var child: Int32 = -1
        /// In an array, the index of the element that is read.
        var index = -1
        var isArray: Bool
    }

    private(set) var values: [SourceValue] = []
    private(set) var places = PlaceTable()
    /// Whether values were left out because of the limit.
    private(set) var isFull = false
    /// Whether texts are counted: each line is one.
    var countsTexts = false

    private let limit: Int
    private let hash = ValueHash()
    private var frames: [Frame] = []
    private var base = PlaceTable.root
    private var seen = HashTable()
    private var knownNames = HashTable()
    private var nameTraits: [KeyTraits] = []
    private var texts = 1
    private var isNested = false

    init(limit: Int) { self.limit = limit }

    // MARK: Scalars of JSON

    package mutating func beginObject() {
        let place = nextPlace()
        frames.append(Frame(container: place, isArray: false))
    }

    package mutating func beginArray() {
        let place = nextPlace()
        frames.append(Frame(container: place, child: places.element(of: place), isArray: true))
    }

    package mutating func endContainer() { _ = frames.popLast() }

    package mutating func key(_ bytes: UnsafeRawBufferPointer) {
        guard let top = frames.indices.last else { return }
        let child = places.member(bytes, of: frames[top].container, after: frames[top].child)
        frames[top].child = child
        if places.kind(of: child) == .anyMember { add(bytes, at: places.key(of: child)) }
    }

    package mutating func string(_ bytes: UnsafeRawBufferPointer) { add(bytes, at: nextPlace()) }

    package mutating func number(_ bytes: UnsafeRawBufferPointer) {
        let place = nextPlace()
        // 8841.0 is what some encoders write for 8841.
        if bytes.count > 2, bytes[bytes.count - 1] == UInt8(ascii: "0"), bytes[bytes.count - 2] == UInt8(ascii: ".") {
            add(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 2)]), at: place)
        } else {
            add(bytes, at: place)
        }
    }

    package mutating func otherValue() { _ = nextPlace() }

    package mutating func endText() { texts += 1 }

    @inline(__always)
    private mutating func nextPlace() -> Int32 {
        guard let top = frames.indices.last else { return base }
        if frames[top].isArray { frames[top].index += 1 }
        return max(0, frames[top].child)
    }

    private var indices: ArrayIndices {
        var indices = countsTexts ? ArrayIndices(text: texts) : ArrayIndices()
        for frame in frames where frame.isArray { indices.append(max(0, frame.index)) }
        return indices
    }

    // MARK: Values

    /// Takes a value, if it tells something where it stands.
    mutating func add(_ bytes: UnsafeRawBufferPointer, at place: Int32, isDerived: Bool = false, isCookie: Bool = false)
    {
        let flags = places.flags(of: place)
        // Most of what is short or long tells nothing, which its length says.
        if bytes.count < 3, !flags.contains(.identifies) { return }
        if values.count >= limit {
            isFull = true
            return
        }
        let strength = ValueStrength(bytes)
        switch strength {
        case .none: return
        case .tiny: if !flags.contains(.identifies) { return }
        case .word:
            if flags.isDisjoint(with: [.identifies, .identifiesByWord, .refers, .isCredential, .isCursor]) {
                // Letters alone can be base64 of something else.
                if !isDerived, !isCookie, bytes.count >= 12 { addForms(of: bytes, strength, place) }
                return
            }
        case .low, .medium, .high: break
        }
        insert(
            SourceValue(
                hash: hash(ValueForms.withoutLeadingSlash(bytes)), place: place, strength: strength,
                isDerived: isDerived || isNested, isCookie: isCookie, indices: ArrayIndices()))
        if !isDerived, !isCookie, bytes.count >= 8 { addForms(of: bytes, strength, place) }
    }

    /// A cookie as it is set.
    mutating func addCookie(_ pair: UnsafeRawBufferPointer, at place: Int32) {
        insert(
            SourceValue(
                hash: hash(pair, .cookie), place: place, strength: .high, isCookie: true, indices: ArrayIndices()))
    }

    /// A place for a header field.
    mutating func place(named name: String, _ traits: KeyTraits) -> Int32 { places.named(name, traits) }

    /// A reference in a header field or a body: the whole, and the values in it.
    mutating func addReference(_ bytes: UnsafeRawBufferPointer, at place: Int32) {
        let parts = ReferenceParts(bytes)
        if parts.whole.count > 1, ValueStrength(parts.whole) >= .word {
            insert(
                SourceValue(
                    hash: hash(ValueForms.withoutLeadingSlash(parts.whole)), place: place,
                    strength: max(.medium, ValueStrength(parts.whole)), indices: ArrayIndices()))
        }
        addParts(parts, at: place)
    }

    private mutating func addParts(_ parts: ReferenceParts, at place: Int32) {
        // Its identifiers.
        var before = UnsafeRawBufferPointer(start: nil, count: 0)
        parts.eachSegment { _, start, segment in
            let strength = ValueStrength(segment)
            if strength >= .low {
                let isLast = start + segment.count == parts.path.count
                let noun = before.isEmpty ? 0 : traits(of: before).noun
                let name: StaticString = isLast ? "its last path segment" : "its path"
                addDecoded(segment, at: places.part(name, of: place, noun: noun))
            }
            before = segment
        }
        guard !parts.query.isEmpty else { return }
        ReferenceParts.eachPair(parts.query) { name, value in
            let traits = traits(of: name)
            if !traits.flags.contains(.isOffset) {
                addDecoded(value, at: places.parameter(name, of: place, traits))
            }
        }
    }

    /// What a name says, read once for each name.
    private mutating func traits(of name: UnsafeRawBufferPointer) -> KeyTraits {
        let key = hash(name)
        if let known = knownNames[key] { return nameTraits[Int(known)] }
        let traits = KeyTraits.of(name)
        if nameTraits.count < PlaceTable.maximum {
            knownNames.set(key, to: Int32(nameTraits.count))
            nameTraits.append(traits)
        }
        return traits
    }

    private mutating func addDecoded(_ bytes: UnsafeRawBufferPointer, at place: Int32) {
        if let decoded = ValueForms.percentDecoded(bytes, plusIsSpace: true) {
            decoded.withUnsafeBytes { add($0, at: place, isDerived: true) }
        } else {
            add(bytes, at: place, isDerived: true)
        }
    }

    /// The values inside of a value: a URL's, a token's, a cursor's.
    private mutating func addForms(of bytes: UnsafeRawBufferPointer, _ strength: ValueStrength, _ place: Int32) {
        if strength >= .medium, bytes.hasPrefix("http") || bytes[0] == UInt8(ascii: "/") {
            guard bytes.contains(UInt8(ascii: "/")) else { return }
            addParts(ReferenceParts(bytes), at: place)
            return
        }
        if bytes.hasPrefix("eyJ"), let payload = ValueForms.tokenPayload(bytes) {
            addNested(payload, at: place)
            return
        }
        guard let decoded = ValueForms.base64Decoded(bytes) else { return }
        if decoded[0] == UInt8(ascii: "{") || decoded[0] == UInt8(ascii: "[") {
            addNested(decoded, at: place)
            return
        }
        let part = places.part("decoded", of: place)
        decoded.withUnsafeBytes { decoded in
            if ValueStrength(decoded) >= .low { add(decoded, at: part, isDerived: true) }
            ValueForms.eachPart(decoded) { piece in
                if ValueStrength(piece) >= .low { add(piece, at: part, isDerived: true) }
            }
        }
    }

    /// The scalars of JSON inside of a value.
    private mutating func addNested(_ json: [UInt8], at place: Int32) {
        guard !isNested else { return }
        let outer = (frames, base, texts)
        isNested = true
        base = places.part("decoded", of: place)
        frames = []
        var scanner = JSONScalarScanner()
        json.withUnsafeBytes { scanner.push($0, into: &self) }
        scanner.finish(into: &self)
        (frames, base, texts) = outer
        isNested = false
    }

    @inline(__always)
    private mutating func insert(_ value: SourceValue) {
        guard seen.insert(hash.combine(value.hash, UInt64(UInt32(bitPattern: value.place)))) else { return }
        var value = value
        value.indices = indices
        values.append(value)
    }
}
