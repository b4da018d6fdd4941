import WeirModel

/// The routes that were found by the automatic rules: a tree of segments with a limit on the words below each.
///
/// Where more distinct words follow one prefix than the limit allows, they are values: all of them become `:id`, those that were there
/// before too. Finding a known path takes no memory.
struct RouteTree: Sendable {
    private struct Node: Sendable {
        var parent: Int32
        var text: String
        /// Whether it stands for what a rule replaced.
        var isPlaceholder: Bool
        var words: Int32 = 0
        /// Whether the words below are one.
        var isFolded = false
        /// Whether a response other than 404 came from here.
        var isAnswered = false
    }

    /// The most nodes; what is beyond is of no route of its own.
    static let nodeLimit = 16_384
    /// The node of the root path.
    static let root: Int32 = 0

    private let wordLimit: Int32
    private var nodes = [Node(parent: -1, text: "", isPlaceholder: true)]
    private var edges = HashTable()
    /// Grows whenever paths that were found before may be of other routes now.
    private(set) var foldCount = 0

    /// - Parameter wordLimit: The most distinct words below one prefix, 1 or more.
    init(wordLimit: Int) { self.wordLimit = Int32(clamping: max(1, wordLimit)) }

    /// The node of a path.
    ///
    /// - Parameter inserts: Whether nodes are made for what was not seen before.
    /// - Returns: Nil where it was not seen before, or there is no room.
    mutating func node(of segments: PathSegments, inserts: Bool) -> Int32? {
        var node = Self.root
        for index in 0..<segments.count {
            let isName =
                segments.follows(index) && RouteSegment.isPersonName(segments[index], after: segments[index - 1])
            guard let next = child(of: node, segments[index], isName: isName, inserts) else { return nil }
            node = next
        }
        return segments.isCut ? child(of: node, text: "**", inserts) : node
    }

    /// Notes that a response other than 404 came.
    mutating func markAnswered(_ node: Int32) { nodes[Int(node)].isAnswered = true }

    /// Whether a response other than 404 came.
    func isAnswered(_ node: Int32) -> Bool { nodes[Int(node)].isAnswered }

    /// The route of a node, without leading slash, `/` for the root.
    func name(of node: Int32) -> String {
        var parts: [String] = []
        var node = node
        while node > 0 {
            let parent = nodes[Int(node)].parent
            let isValue = nodes[Int(parent)].isFolded && !nodes[Int(node)].isPlaceholder
            parts.append(isValue ? ":id" : nodes[Int(node)].text)
            node = parent
        }
        return parts.isEmpty ? "/" : parts.reversed().joined(separator: "/")
    }

    /// - Parameter isName: Whether it is somebody's name by what stands before it.
    private mutating func child(
        of node: Int32, _ bytes: UnsafeRawBufferPointer, isName: Bool, _ inserts: Bool
    ) -> Int32? {
        if let placeholder = Self.placeholder(bytes) { return child(of: node, text: placeholder, inserts) }
        switch RouteSegment(bytes) {
        case .literal:
            if isName || nodes[Int(node)].isFolded { return child(of: node, text: ":id", inserts) }
            let key = PathHash.ofDecoded(bytes, startingWith: UInt64(node))
            if let known = edges[key] { return known }
            guard inserts else { return nil }
            if nodes[Int(node)].words == wordLimit {
                nodes[Int(node)].isFolded = true
                foldCount += 1
                return child(of: node, text: ":id", inserts)
            }
            nodes[Int(node)].words += 1
            return insert(key, PathHash.decodedText(bytes), below: node, isPlaceholder: false)
        case .file(let length):
            let tail = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - length)...])
            let key = PathHash.of(tail, startingWith: ~UInt64(node))
            if let known = edges[key] { return known }
            guard inserts else { return nil }
            return insert(key, ":id" + PathHash.decodedText(tail), below: node, isPlaceholder: true)
        case .identifier: return child(of: node, text: ":id", inserts)
        case .date: return child(of: node, text: ":date", inserts)
        case .email: return child(of: node, text: ":email", inserts)
        }
    }

    /// What a path that is a route already has in place of values.
    private static func placeholder(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        guard bytes.count <= 6, bytes[0] == UInt8(ascii: ":") || bytes[0] == UInt8(ascii: "*") else { return nil }
        for text: StaticString in [":id", ":date", ":email", "**"]
        where bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) {
            return text
        }
        return nil
    }

    private mutating func child(of node: Int32, text: StaticString, _ inserts: Bool) -> Int32? {
        let bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        let key = PathHash.of(bytes, startingWith: ~UInt64(node) << 1)
        if let known = edges[key] { return known }
        return inserts ? insert(key, "\(text)", below: node, isPlaceholder: true) : nil
    }

    private mutating func insert(_ key: UInt64, _ text: String, below node: Int32, isPlaceholder: Bool) -> Int32? {
        guard nodes.count < Self.nodeLimit else { return nil }
        let new = Int32(nodes.count)
        nodes.append(Node(parent: node, text: text, isPlaceholder: isPlaceholder))
        edges.insert(key, new)
        return new
    }
}
