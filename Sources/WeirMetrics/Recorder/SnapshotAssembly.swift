import WeirModel

/// Puts the parts of a recorder together into one snapshot.
///
/// Each part has found its automatic routes by itself; here they get the names that they would have if one had seen all.
struct SnapshotAssembly: Sendable {
    private let settings: MetricsSettings
    private var tree: RouteTree

    init(_ settings: MetricsSettings) {
        self.settings = settings
        tree = RouteTree(wordLimit: settings.naming.wordLimit)
    }

    /// The names of the routes of some parts, by part and number.
    mutating func names(_ parts: [MetricsShard.State]) -> [[String]] {
        var nodes: [[Int32?]] = []
        for part in parts {
            nodes.append((0..<Int32(part.routes.count)).map { node(part.routes, $0) })
        }
        // Only now is it known what was folded.
        return zip(parts, nodes).map { part, nodes in
            nodes.enumerated().map { route, node in node.map(tree.name) ?? part.routes.name(of: Int32(route)) }
        }
    }

    /// Adds what the parts have counted to a snapshot.
    mutating func add(_ parts: [MetricsShard.State], to snapshot: inout MetricsSnapshot) {
        var added = snapshot
        added.series = []
        added.overflow = nil
        added.totals = .init()
        var places: [MetricsSnapshot.Key: Int] = [:]
        for (part, names) in zip(parts, names(parts)) {
            for (place, slot) in part.table.slots.enumerated() {
                let isOverflow = place == part.table.overflow
                let counters = slot.counters(isOverflow ? part.table.mixed : nil)
                let distributions = part.table.distributions(of: slot)
                added.totals.add(counters)
                let key = isOverflow ? .overflow : key(slot, part, names)
                let one = MetricsSnapshot.Series(key: key, distributions: distributions, counters: counters)
                if isOverflow {
                    added.addToOverflow(one)
                } else if let known = places[key] {
                    added.series[known].merge(one)
                } else {
                    places[key] = added.series.count
                    added.series.append(one)
                }
            }
        }
        snapshot.merge(added)
    }

    private func key(
        _ slot: SeriesTable.Slot, _ part: MetricsShard.State, _ names: [String]
    ) -> MetricsSnapshot.Key {
        slot.traits.key(
            route: names[Int(slot.route)], server: part.servers.servers[Int(slot.server)], labels: settings.label)
    }

    /// The node of an automatic route in the tree of all parts; nil for other routes.
    private mutating func node(_ routes: RouteIndex, _ route: Int32) -> Int32? {
        guard case .node = routes.origin(of: route) else { return nil }
        var name = routes.name(of: route)
        return name.withUTF8 { bytes in
            PathSegments.of(UnsafeRawBufferPointer(bytes)) { tree.node(of: $0, inserts: true) }
        }
    }
}
