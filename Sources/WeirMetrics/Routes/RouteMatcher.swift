import WeirModel

/// The app's own templates, compiled: finds the most specific one that matches a path.
///
/// Templates without `**` are in a tree in which each node is visited once at most; those with `**` are tried one after the other,
/// each in a time that grows with the product of both lengths at the worst.
struct RouteMatcher: Sendable {
    /// Flat, so that nothing is counted on the way.
    private struct Node {
        /// The words that may follow, in ``edges``.
        var edges = 0..<0
        /// The node of a placeholder; -1 for none.
        var one = -1
        /// The rank of the template that ends here; -1 for none.
        var rank = -1
    }

    private struct Edge {
        /// Its word in ``texts``.
        var text: Range<Int>
        var node: Int
    }

    /// A node while the tree grows.
    private final class Branch {
        var literals: [(text: String, branch: Branch)] = []
        var one: Branch?
        var rank = -1
    }

    private enum Part {
        case literal([UInt8])
        case one
        case any
    }

    /// The templates, the most specific ones first; of equals the one that was given first.
    let templates: [RouteTemplate]
    private var nodes: [Node] = []
    private var edges: [Edge] = []
    private var texts: [UInt8] = []
    private var open: [(rank: Int, parts: [Part])] = []

    init(_ templates: [RouteTemplate]) {
        self.templates = templates.enumerated().sorted { a, b in
            if a.element.isMoreSpecific(than: b.element) { return true }
            return a.offset < b.offset && !b.element.isMoreSpecific(than: a.element)
        }.map(\.element)
        let root = Branch()
        for (rank, template) in self.templates.enumerated() {
            if template.segments.contains(.any) {
                open.append((rank, template.segments.map(Self.part)))
            } else {
                Self.insert(template, rank, below: root)
            }
        }
        flatten(root)
    }

    /// The place in ``templates`` of the most specific one that matches; nil when none does.
    func rank(of segments: PathSegments) -> Int? {
        // The end of a path that was cut is not known.
        if segments.isCut || templates.isEmpty { return nil }
        let ended = rank(of: segments, from: 0, at: 0)
        let closed = ended < 0 ? nil : ended
        for (rank, parts) in open {
            if let closed, closed < rank { break }
            if matches(segments, parts) { return rank }
        }
        return closed
    }

    private static func insert(_ template: RouteTemplate, _ rank: Int, below root: Branch) {
        var branch = root
        for segment in template.segments {
            let next = Branch()
            if case .literal(let text) = segment {
                if let known = branch.literals.first(where: { $0.text == text }) {
                    branch = known.branch
                } else {
                    branch.literals.append((text, next))
                    branch = next
                }
            } else {
                branch.one = branch.one ?? next
                branch = branch.one ?? next
            }
        }
        // Of two alike the first one counts.
        if branch.rank < 0 { branch.rank = rank }
    }

    /// Adds a branch and all below it.
    ///
    /// - Returns: The number of its node.
    @discardableResult
    private mutating func flatten(_ branch: Branch) -> Int {
        let node = nodes.count
        nodes.append(Node(rank: branch.rank))
        let first = edges.count
        for literal in branch.literals {
            edges.append(Edge(text: texts.count..<(texts.count + literal.text.utf8.count), node: -1))
            texts += literal.text.utf8
        }
        nodes[node].edges = first..<edges.count
        for (place, literal) in branch.literals.enumerated() { edges[first + place].node = flatten(literal.branch) }
        if let one = branch.one { nodes[node].one = flatten(one) }
        return node
    }

    /// The rank of what matches from a segment on; -1 for nothing.
    private func rank(of segments: PathSegments, from index: Int, at node: Int) -> Int {
        guard index < segments.count else { return nodes[node].rank }
        let segment = segments[index]
        // A word decides before a placeholder, whatever comes after.
        for edge in nodes[node].edges where isSame(segment, edges[edge].text) {
            let found = rank(of: segments, from: index + 1, at: edges[edge].node)
            if found >= 0 { return found }
        }
        let one = nodes[node].one
        return one < 0 ? -1 : rank(of: segments, from: index + 1, at: one)
    }

    private func isSame(_ segment: UnsafeRawBufferPointer, _ text: Range<Int>) -> Bool {
        texts.withUnsafeBytes { Self.isSame(segment, UnsafeRawBufferPointer(rebasing: $0[text])) }
    }

    private func matches(_ segments: PathSegments, _ parts: [Part]) -> Bool {
        var segment = 0
        var part = 0
        // Where to go on when what follows the last `**` does not fit.
        var retry: (segment: Int, part: Int)?
        while segment < segments.count {
            if part < parts.count {
                switch parts[part] {
                case .any:
                    retry = (segment, part)
                    part += 1
                    continue
                case .one:
                    segment += 1
                    part += 1
                    continue
                case .literal(let bytes):
                    if bytes.withUnsafeBytes({ Self.isSame(segments[segment], $0) }) {
                        segment += 1
                        part += 1
                        continue
                    }
                }
            }
            guard let place = retry else { return false }
            retry = (place.segment + 1, place.part)
            segment = place.segment + 1
            part = place.part + 1
        }
        while part < parts.count, case .any = parts[part] { part += 1 }
        return part == parts.count
    }

    private static func part(_ segment: RouteTemplate.Segment) -> Part {
        switch segment {
        case .literal(let text): .literal(Array(text.utf8))
        case .one: .one
        case .any: .any
        }
    }

    /// Whether a segment is this text, once its percent-encoding is undone.
    private static func isSame(_ segment: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) -> Bool {
        if segment.count == text.count {
            for place in 0..<text.count where segment[place] != text[place] { return false }
            return true
        }
        guard segment.count > text.count else { return false }
        var position = 0
        for byte in text {
            guard position < segment.count else { return false }
            let (decoded, length) = RouteSegment.decodedByte(segment, at: position)
            guard decoded == byte else { return false }
            position += length
        }
        return position == segment.count
    }
}
