/// The nodes of a JSON text, each before those inside it: written by one parser, and then read by any number of threads.
///
/// Memory of its own in place of an array: a parser writes a node in a few instructions, and there is one for about each
/// fifteen bytes of a text.
///
// Sendable: only a parser writes, through ``Writer``, and it gives the tape away when it is done. Another one writes to it again when
// the only document that had it is gone, and takes it from ``JSONSpares`` under that one's lock.
final class JSONTape: @unchecked Sendable {
    private var nodes: UnsafeMutablePointer<JSONNode>
    private var capacity: Int
    private(set) var count = 0

    /// Makes an empty tape.
    ///
    /// - Parameter capacity: How many nodes there is room for to begin with.
    init(capacity: Int) {
        self.capacity = max(16, capacity)
        nodes = .allocate(capacity: self.capacity)
    }

    // Nodes hold no references: there is nothing to take apart.
    deinit { nodes.deallocate() }

    /// The node at a place below ``count``, which is where other nodes and the parser's roots point to.
    subscript(index: Int) -> JSONNode { nodes[index] }

    /// The first node.
    var start: UnsafePointer<JSONNode> { UnsafePointer(nodes) }
}

extension JSONTape {
    /// Writes to a tape.
    ///
    /// A copy of the tape's pointer and size: registers to a parser's loop, where the tape's own are memory. What it wrote is
    /// on the tape after ``end()``.
    struct Writer {
        private let tape: JSONTape
        private var nodes: UnsafeMutablePointer<JSONNode>
        private var capacity: Int
        private(set) var count: Int

        init(_ tape: JSONTape) {
            self.tape = tape
            nodes = tape.nodes
            capacity = tape.capacity
            count = tape.count
        }

        /// The node at a place below ``count``.
        subscript(index: Int) -> JSONNode {
            @inline(__always) get { nodes[index] }
        }

        /// Adds a node.
        @inline(__always)
        mutating func append(_ node: JSONNode) {
            if count == capacity { grow() }
            (nodes + count).initialize(to: node)
            count &+= 1
        }

        /// Begins an array or an object.
        ///
        /// - Parameter outer: The place of the one around it, or -1.
        @inline(__always)
        mutating func open(_ kind: JSONNode.Kind, in outer: Int, at place: Int) {
            append(JSONNode(start: place, end: place, next: UInt32(truncatingIfNeeded: outer + 1), kind: kind))
        }

        /// Ends the array or object at a place.
        ///
        /// - Returns: The place of the one around it, or -1.
        @inline(__always)
        mutating func close(_ container: Int, end: Int) -> Int {
            let outer = Int(nodes[container].next) - 1
            nodes[container].end = end
            nodes[container].next = UInt32(truncatingIfNeeded: count)
            return outer
        }

        /// Adds an object of a name and a value, whose brace is at a place.
        @inline(__always)
        mutating func append(_ pair: JSONParser.Pair, at place: Int) {
            func next(_ offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: count + offset) }
            append(JSONNode(start: place, end: pair.end, next: next(5), kind: .object))
            append(JSONNode(start: pair.nameKey, end: pair.nameKey + 4, next: next(1), kind: .string))
            append(JSONNode(start: pair.name.lowerBound, end: pair.name.upperBound, next: next(1), kind: .string))
            append(JSONNode(start: pair.valueKey, end: pair.valueKey + 5, next: next(1), kind: .string))
            append(JSONNode(start: pair.value.lowerBound, end: pair.value.upperBound, next: next(1), kind: .string))
        }

        @inline(never)
        private mutating func grow() {
            let larger = UnsafeMutablePointer<JSONNode>.allocate(capacity: 2 * capacity)
            larger.moveInitialize(from: nodes, count: count)
            nodes.deallocate()
            nodes = larger
            capacity *= 2
            tape.nodes = larger
            tape.capacity = capacity
        }

        /// Lets the tape have what was written.
        func end() { tape.count = count }

        /// Drops all from a place on.
        func end(at place: Int) { tape.count = place }
    }
}
