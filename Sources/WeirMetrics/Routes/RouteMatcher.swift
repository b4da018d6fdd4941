import WeirModel

/// The app's own templates, compiled: finds the most specific one that matches a path.
///
/// Templates without `**` are in a tree in which each node is visited once at most; those with `**` are tried one after the other,
/// each in a time that grows with the product of both lengths at the worst.
struct RouteMatcher: Sendable {
    private struct Node {
        /// The words that may follow, and their nodes.
        var literals: [(bytes: [UInt8], node: Int)] = []
        var one: Int?
        /// The rank of the template that ends here.
        var rank: Int?
    }

    private enum Part {
        case literal([UInt8])
        case one
        case any
    }

    /// The templates, the most specific ones first; of equals the one that was given first.
    let templates: [RouteTemplate]
    private var nodes = [Node()]
    private var open: [(rank: Int, parts: [Part])] = []

    init(_ templates: [RouteTemplate]) {
        self.templates = templates.enumerated().sorted { a, b in
            if a.element.isMoreSpecific(than: b.element) { return true }
            return a.offset < b.offset && !b.element.isMoreSpecific(than: a.element)
        }.map(\.element)
        for (rank, template) in self.templates.enumerated() {
            if template.segments.contains(.any) {
                open.append((rank, template.segments.map(Self.part)))
            } else {
                insert(template, rank)
            }
        }
    }

    /// The place in ``templates`` of the most specific one that matches; nil when none does.
    func rank(of segments: PathSegments) -> Int? {
        // The end of a path that was cut is not known.
        if segments.isCut || templates.isEmpty { return nil }
        let closed = rank(of: segments, from: 0, at: 0)
        for (rank, parts) in open {
            if let closed, closed < rank { break }
            if matches(segments, parts) { return rank }
        }
        return closed
    }

    private mutating func insert(_ template: RouteTemplate, _ rank: Int) {
        var node = 0
        for segment in template.segments {
            if case .literal(let text) = segment {
                let bytes = Array(text.utf8)
                if let known = nodes[node].literals.first(where: { $0.bytes == bytes }) {
                    node = known.node
                } else {
                    nodes[node].literals.append((bytes, nodes.count))
                    node = nodes.count
                    nodes.append(Node())
                }
            } else if let one = nodes[node].one {
                node = one
            } else {
                nodes[node].one = nodes.count
                node = nodes.count
                nodes.append(Node())
            }
        }
        nodes[node].rank = nodes[node].rank ?? rank
    }

    private func rank(of segments: PathSegments, from index: Int, at node: Int) -> Int? {
        guard index < segments.count else { return nodes[node].rank }
        let segment = segments[index]
        // A word decides before a placeholder, whatever comes after.
        for literal in nodes[node].literals where Self.isSame(segment, literal.bytes) {
            if let rank = rank(of: segments, from: index + 1, at: literal.node) { return rank }
        }
        guard let one = nodes[node].one else { return nil }
        return rank(of: segments, from: index + 1, at: one)
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
                    if Self.isSame(segments[segment], bytes) {
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
    private static func isSame(_ segment: UnsafeRawBufferPointer, _ text: [UInt8]) -> Bool {
        if segment.count == text.count, segment.elementsEqual(text) { return true }
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
