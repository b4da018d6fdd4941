import WeirModel

/// The routes that one thread at a time has seen, by number.
struct RouteIndex: Sendable {
    /// Where a route is from.
    enum Origin: Sendable {
        case unmatched
        case other
        case template(Int)
        case node(Int32)
        case custom(String)
    }

    /// The number of ``RouteNaming/unmatched``.
    static let unmatched: Int32 = 0
    /// The number of ``RouteNaming/other``.
    static let other: Int32 = 1
    private static let customLimit = 2_000
    private static let cacheSize = 512

    private let matcher: RouteMatcher
    private let fallback: RouteNaming.Fallback
    /// The app's function, in place of both.
    private let custom: (@Sendable (RequestURL) -> String)?
    private var origins: [Origin] = [.unmatched, .other]
    private var tree: RouteTree
    private var templateRoutes: [Int32]
    private var nodeRoutes: [Int32] = []
    private var customRoutes: [String: Int32] = [:]
    /// The routes of paths that came lately.
    private var cache: [(hash: UInt64, route: Int32)]
    private var foldCount = 0

    init(_ naming: RouteNaming) {
        switch naming.rule {
        case .templates(let matcher, let fallback): (self.matcher, self.fallback, custom) = (matcher, fallback, nil)
        case .custom(let name): (matcher, fallback, custom) = (RouteMatcher([]), .unmatched, name)
        }
        tree = RouteTree(wordLimit: naming.wordLimit)
        cache = Array(repeating: (0, -1), count: Self.cacheSize)
        templateRoutes = Array(repeating: -1, count: matcher.templates.count)
    }

    /// Whether the app's function gives the names.
    var isCustom: Bool { custom != nil }

    /// How many routes there are.
    var count: Int { origins.count }

    /// The route of a request.
    ///
    /// Takes no memory for what was seen before, whatever the identifiers in the path.
    mutating func route(of url: RequestURL, isNotFound: Bool) -> Int32 {
        guard let custom else {
            var route = Self.other
            url.withBytes { whole, path in
                route = self.route(ofPath: UnsafeRawBufferPointer(rebasing: whole[path]), isNotFound: isNotFound)
            }
            return route
        }
        let place = Int(truncatingIfNeeded: url.resourceHash) & (Self.cacheSize - 1)
        if cache[place].hash == url.resourceHash, cache[place].route >= 0 { return cache[place].route }
        let route = customRoute(custom(url))
        cache[place] = (url.resourceHash, route)
        return route
    }

    /// The route of a path, by templates and automatic rules.
    mutating func route(ofPath path: UnsafeRawBufferPointer, isNotFound: Bool) -> Int32 {
        let hash = PathHash.of(path)
        let place = Int(truncatingIfNeeded: hash) & (Self.cacheSize - 1)
        if cache[place].hash == hash, cache[place].route >= 0 { return cache[place].route }
        let route = PathSegments.of(path) { resolve($0, isNotFound: isNotFound) }
        if tree.foldCount != foldCount {
            foldCount = tree.foldCount
            for place in cache.indices { cache[place].route = -1 }
        }
        // A path that has no route yet may get one.
        if route != Self.unmatched { cache[place] = (hash, route) }
        return route
    }

    /// Where a route is from.
    func origin(of route: Int32) -> Origin { origins[Int(route)] }

    /// The name of a route.
    func name(of route: Int32) -> String {
        switch origins[Int(route)] {
        case .unmatched: return RouteNaming.unmatched
        case .other: return RouteNaming.other
        case .node(let node): return tree.name(of: node)
        case .custom(let name): return name
        case .template(let rank): return matcher.templates[rank].text
        }
    }

    private mutating func resolve(_ segments: PathSegments, isNotFound: Bool) -> Int32 {
        if let rank = matcher.rank(of: segments) {
            if templateRoutes[rank] < 0 { templateRoutes[rank] = add(.template(rank)) }
            return templateRoutes[rank]
        }
        guard fallback == .automatic else { return Self.unmatched }
        guard let node = tree.node(of: segments, inserts: !isNotFound) else {
            return isNotFound ? Self.unmatched : Self.other
        }
        if isNotFound {
            guard tree.isAnswered(node) else { return Self.unmatched }
        } else {
            tree.markAnswered(node)
        }
        while nodeRoutes.count <= Int(node) { nodeRoutes.append(-1) }
        if nodeRoutes[Int(node)] < 0 { nodeRoutes[Int(node)] = add(.node(node)) }
        return nodeRoutes[Int(node)]
    }

    private mutating func customRoute(_ name: String) -> Int32 {
        if let known = customRoutes[name] { return known }
        guard customRoutes.count < Self.customLimit else { return Self.other }
        let route = add(.custom(name))
        customRoutes[name] = route
        return route
    }

    private mutating func add(_ origin: Origin) -> Int32 {
        origins.append(origin)
        return Int32(origins.count - 1)
    }
}

extension RouteNaming {
    /// The route of one path, as if nothing had been seen before.
    package func name(of path: String) -> String {
        var index = RouteIndex(self)
        let route = index.route(of: RequestURL(path), isNotFound: false)
        return index.name(of: route)
    }
}
