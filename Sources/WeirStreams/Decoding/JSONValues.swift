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

    /// The node of an object's value, or nil.
    ///
    /// Members are mostly asked for in the order of the text: the search begins at the one that was found last. Only for objects
    /// whose keys need no index, since then each is there once and stands for itself.
    @inline(__always)
    func find(_ name: UnsafeBufferPointer<UInt8>, in object: UInt32) -> UInt32? {
        let nodes = memory.pointee.nodes
        let text = memory.pointee.text
        let end = nodes[Int(object)].next
        let hint = nodes[Int(object)].start
        var key = hint
        let count = UInt32(truncatingIfNeeded: name.count)
        while key < end {
            let value = key &+ 1
            if nodes[Int(key)].length == count, Self.areEqual(name, text + Int(nodes[Int(key)].start)) {
                nodes[Int(object)].start = key
                return value
            }
            key = nodes[Int(value)].next
        }
        key = object &+ 1
        while key < hint {
            let value = key &+ 1
            if nodes[Int(key)].length == count, Self.areEqual(name, text + Int(nodes[Int(key)].start)) {
                nodes[Int(object)].start = key
                return value
            }
            key = nodes[Int(value)].next
        }
        return nil
    }

    @inline(__always)
    private static func areEqual(_ name: UnsafeBufferPointer<UInt8>, _ other: UnsafeRawPointer) -> Bool {
        guard let base = UnsafeRawPointer(name.baseAddress) else { return true }
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
