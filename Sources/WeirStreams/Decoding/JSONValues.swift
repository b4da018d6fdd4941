/// The values of a document, for whoever keeps it alive meanwhile.
///
/// It counts no reference, so that each member that is read does not have to.
struct JSONValues {
    typealias SyntaxError = StreamingJSONDecoder.SyntaxError

    let memory: UnsafeMutablePointer<JSONDocument.Memory>

    /// What keeps the values alive.
    var owner: JSONDocument { memory.pointee.owner }
    var options: StreamingJSONDecoder.Options { memory.pointee.options.values }

    @inline(__always)
    subscript(node: UInt32) -> JSONDocument.Node {
        memory.pointee.nodes[Int(node)]
    }

    @inline(__always)
    func kind(_ node: UInt32) -> JSONDocument.Kind { self[node].kind }

    /// The bytes of a string, key or number.
    @inline(__always)
    func bytes(_ node: UInt32) -> UnsafeBufferPointer<UInt8> {
        let place = self[node]
        return UnsafeBufferPointer(
            start: (memory.pointee.text + Int(place.start)).assumingMemoryBound(to: UInt8.self),
            count: Int(place.length))
    }

    /// Whether the bytes of a string or key are a name of the same length.
    @inline(__always)
    func areEqual(_ name: UnsafeBufferPointer<UInt8>, _ node: UInt32) -> Bool {
        guard let base = UnsafeRawPointer(name.baseAddress) else { return true }
        let other = memory.pointee.text + Int(self[node].start)
        let count = name.count
        var position = 0
        while position &+ 8 <= count {
            let a = base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if a != other.loadUnaligned(fromByteOffset: position, as: UInt64.self) { return false }
            position &+= 8
        }
        while position < count {
            let a = base.load(fromByteOffset: position, as: UInt8.self)
            if a != other.load(fromByteOffset: position, as: UInt8.self) { return false }
            position &+= 1
        }
        return true
    }

    /// Notes that an object's keys are converted by the strategy.
    func markConverted(_ object: UInt32) { memory.pointee.nodes[Int(object)].isConverted = true }

    /// Notes a key that an object does not have, for a decoder of nothing.
    ///
    /// - Returns: What the decoder has to remember, from 1.
    func note(missing key: any CodingKey, of object: UInt32) -> UInt32 {
        memory.pointee.missingKeys.append((object, key))
        return UInt32(truncatingIfNeeded: memory.pointee.missingKeys.count)
    }

    /// Keeps an index, and tells which it is, from 1.
    func keep(_ index: [String: UInt32]) -> UInt32 {
        memory.pointee.indices.append(index)
        return UInt32(truncatingIfNeeded: memory.pointee.indices.count)
    }
}
