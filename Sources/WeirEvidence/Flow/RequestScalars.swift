/// The scalars of the JSON in a request, as hashes with their places.
struct RequestScalars: JSONScalarSink {
    struct Scalar {
        var hash: UInt64
        var place: Int32
        var indices: ArrayIndices
        var isDerived: Bool
    }

    private(set) var scalars: [Scalar] = []
    private(set) var places = PlaceTable()
    private var frames: [(container: Int32, child: Int32, index: Int, isArray: Bool)] = []
    private let hash = ValueHash()

    mutating func beginObject() { frames.append((nextPlace(), -1, -1, false)) }

    mutating func beginArray() {
        let place = nextPlace()
        frames.append((place, places.element(of: place), -1, true))
    }

    mutating func endContainer() { _ = frames.popLast() }

    mutating func key(_ bytes: UnsafeRawBufferPointer) {
        guard let top = frames.indices.last else { return }
        let child = places.member(bytes, of: frames[top].container, after: frames[top].child)
        frames[top].child = child
        if places.kind(of: child) == .anyMember { add(bytes, at: places.key(of: child)) }
    }

    mutating func string(_ bytes: UnsafeRawBufferPointer) {
        let place = nextPlace()
        add(bytes, at: place)
        guard bytes.count <= 1024 else { return }
        ValueForms.eachPart(bytes) { add($0, at: place) }
        if let decoded = ValueForms.base64Decoded(bytes) {
            decoded.withUnsafeBytes { decoded in
                add(decoded, at: place, isDerived: true)
                ValueForms.eachPart(decoded) { add($0, at: place, isDerived: true) }
            }
        }
    }

    mutating func number(_ bytes: UnsafeRawBufferPointer) {
        let place = nextPlace()
        // What counts the things on a page was not received.
        if places.traits(of: place).flags.contains(.isOffset) { return }
        add(bytes, at: place)
    }

    mutating func otherValue() { _ = nextPlace() }
    mutating func endText() {}

    private mutating func nextPlace() -> Int32 {
        guard let top = frames.indices.last else { return PlaceTable.root }
        if frames[top].isArray { frames[top].index += 1 }
        return max(0, frames[top].child)
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer, at place: Int32, isDerived: Bool = false) {
        guard !bytes.isEmpty, scalars.count < RequestEvidence.maximum else { return }
        var indices = ArrayIndices()
        for frame in frames where frame.isArray { indices.append(max(0, frame.index)) }
        scalars.append(
            Scalar(
                hash: hash(ValueForms.withoutLeadingSlash(bytes)), place: place, indices: indices, isDerived: isDerived)
        )
    }
}
