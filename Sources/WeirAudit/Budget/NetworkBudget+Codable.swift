import Foundation
import WeirModel

// The schema of budget files. Durations carry their unit in the name; unknown keys, wrong types, units and numbers that
// cannot be a limit are errors that name the place.

extension NetworkBudget: Codable {
    /// Reads a budget.
    ///
    /// Fails with a `DecodingError` that names the key, whatever is not a budget's.
    public init(from decoder: any Decoder) throws {
        var fields = try BudgetFields(decoder)
        limits = try Limits(&fields, defaultDuplicates: 0)
        hosts = try fields.nested("hosts", of: Limits.self) ?? [:]
        routes = try fields.nested("routes", of: Limits.self) ?? [:]
        for host in hosts.keys where host.isEmpty || host.contains(where: "/ ?@".contains) {
            throw fields.error(
                "hosts", "has the key \"\(host)\"; a key is a host or host:port, such as api.example.com.")
        }
        for route in routes.keys where route.contains("://") || route.contains(where: " ?#".contains) {
            throw fields.error(
                "routes", "has the key \"\(route)\"; a key is a path with its identifiers replaced, such as books/:id.")
        }
        var kinds: [ResourceKind: Limits] = [:]
        for (name, limits) in try fields.nested("kinds", of: Limits.self) ?? [:] {
            guard let kind = ResourceKind(rawValue: name) else {
                let known = ResourceKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw fields.error("kinds", "has the key \"\(name)\"; a key is one of \(known).")
            }
            kinds[kind] = limits
        }
        self.kinds = kinds
        parts = try fields.nested("parts", of: Limits.self) ?? [:]
        allowances = try fields.single("allowances", of: [Allowance].self) ?? []
        thirdParty = try fields.single("thirdParty", of: Limits.self)
        firstPartyHosts = try fields.single("firstPartyHosts", of: [String].self) ?? []
        allowsNoRequests = try fields.flag("allowsNoRequests") ?? false
        allowsOpenRequests = try fields.flag("allowsOpenRequests") ?? false
        latency = try fields.milliseconds("latencyMilliseconds")
        try fields.finish()
    }

    /// Writes a budget; limits that are nil are left out, except for duplicates, whose default is 0.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: BudgetFields.Key.self)
        try limits.encode(into: &container)
        if limits.maxDuplicates == nil { try container.encodeNil(forKey: .init("maxDuplicates")) }
        if !hosts.isEmpty { try container.encode(hosts, forKey: .init("hosts")) }
        if !routes.isEmpty { try container.encode(routes, forKey: .init("routes")) }
        if !kinds.isEmpty {
            let named = Dictionary(uniqueKeysWithValues: kinds.map { ($0.key.rawValue, $0.value) })
            try container.encode(named, forKey: .init("kinds"))
        }
        if !parts.isEmpty { try container.encode(parts, forKey: .init("parts")) }
        if !allowances.isEmpty { try container.encode(allowances, forKey: .init("allowances")) }
        try container.encodeIfPresent(thirdParty, forKey: .init("thirdParty"))
        if !firstPartyHosts.isEmpty { try container.encode(firstPartyHosts, forKey: .init("firstPartyHosts")) }
        if allowsNoRequests { try container.encode(true, forKey: .init("allowsNoRequests")) }
        if allowsOpenRequests { try container.encode(true, forKey: .init("allowsOpenRequests")) }
        try container.encodeIfPresent(latency?.milliseconds, forKey: .init("latencyMilliseconds"))
    }
}

extension NetworkBudget.Limits: Codable {
    /// Reads limits.
    ///
    /// Fails with a `DecodingError` that names the key, whatever is not a limit.
    public init(from decoder: any Decoder) throws {
        var fields = try BudgetFields(decoder)
        try self.init(&fields, defaultDuplicates: nil)
        allowsNoRequests = try fields.flag("allowsNoRequests") ?? false
        try fields.finish()
    }

    /// Writes the limits that are not nil.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: BudgetFields.Key.self)
        try encode(into: &container)
        if allowsNoRequests { try container.encode(true, forKey: .init("allowsNoRequests")) }
    }

    fileprivate init(_ fields: inout BudgetFields, defaultDuplicates: Int?) throws {
        self.init(
            maxRequests: try fields.count("maxRequests"),
            maxRoundTrips: try fields.count("maxRoundTrips"),
            maxWireBytes: try fields.count("maxWireBytes"),
            maxDecodedBytes: try fields.count("maxDecodedBytes"),
            maxDuplicates: fields.contains("maxDuplicates")
                ? try fields.count("maxDuplicates", isNullable: true) : defaultDuplicates,
            maxWall: try fields.milliseconds("maxWallMilliseconds"),
            maxWorstQueue: try fields.milliseconds("maxWorstQueueMilliseconds"),
            maxNewConnections: try fields.count("maxNewConnections"),
            maxRedirects: try fields.count("maxRedirects"),
            maxFailures: try fields.count("maxFailures"),
            minParallelism: try fields.number("minParallelism"))
    }

    fileprivate func encode(into container: inout KeyedEncodingContainer<BudgetFields.Key>) throws {
        try container.encodeIfPresent(maxRequests, forKey: .init("maxRequests"))
        try container.encodeIfPresent(maxRoundTrips, forKey: .init("maxRoundTrips"))
        try container.encodeIfPresent(maxWireBytes, forKey: .init("maxWireBytes"))
        try container.encodeIfPresent(maxDecodedBytes, forKey: .init("maxDecodedBytes"))
        try container.encodeIfPresent(maxDuplicates, forKey: .init("maxDuplicates"))
        try container.encodeIfPresent(maxWall?.milliseconds, forKey: .init("maxWallMilliseconds"))
        try container.encodeIfPresent(maxWorstQueue?.milliseconds, forKey: .init("maxWorstQueueMilliseconds"))
        try container.encodeIfPresent(maxNewConnections, forKey: .init("maxNewConnections"))
        try container.encodeIfPresent(maxRedirects, forKey: .init("maxRedirects"))
        try container.encodeIfPresent(maxFailures, forKey: .init("maxFailures"))
        try container.encodeIfPresent(minParallelism, forKey: .init("minParallelism"))
    }
}

extension NetworkBudget.Allowance: Codable {
    /// Reads an allowance.
    ///
    /// Fails with a `DecodingError` that names the key, whatever is not an allowance.
    public init(from decoder: any Decoder) throws {
        var fields = try BudgetFields(decoder)
        let route = try fields.text("route")
        let host = try fields.text("host")
        switch (route, host) {
        case (let route?, nil): target = .route(route)
        case (nil, let host?): target = .host(host)
        case (nil, nil): throw fields.error("route", "or \"host\" must say which requests are allowed.")
        case (_?, _?): throw fields.error("host", "must not stand beside \"route\"; write two allowances.")
        }
        maxRequests = try fields.count("maxRequests")
        guard let reason = try fields.text("reason"), reason.contains(where: { !$0.isWhitespace }) else {
            throw fields.error("reason", "must say why the requests are allowed.")
        }
        self.reason = reason
        guard let until = try fields.text("until"), let day = NetworkBudget.Day(until) else {
            throw fields.error("until", "must be the last day of the allowance, such as \"2027-01-31\".")
        }
        self.until = day
        try fields.finish()
    }

    /// Writes an allowance.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: BudgetFields.Key.self)
        switch target {
        case .route(let route): try container.encode(route, forKey: .init("route"))
        case .host(let host): try container.encode(host, forKey: .init("host"))
        }
        try container.encodeIfPresent(maxRequests, forKey: .init("maxRequests"))
        try container.encode(reason, forKey: .init("reason"))
        try container.encode(until.description, forKey: .init("until"))
    }
}

/// The fields of one object of a budget file: each taken once, and none left over.
private struct BudgetFields {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    private let container: KeyedDecodingContainer<Key>
    private var known: Set<String> = []

    init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }

    func contains(_ name: String) -> Bool { container.contains(Key(name)) }

    mutating func count(_ name: String, isNullable: Bool = false) throws -> Int? {
        guard let value = try number(name, isNullable: isNullable) else { return nil }
        guard let count = Int(exactly: value) else {
            throw error(name, "must be a whole number, and is \(value).")
        }
        return count
    }

    /// A number; `null` stands for "no limit" only where there is one without it.
    mutating func number(_ name: String, isNullable: Bool = false) throws -> Double? {
        known.insert(name)
        guard contains(name) else { return nil }
        if isNullable, try container.decodeNil(forKey: Key(name)) { return nil }
        try refuseNull(name, "a number; without a limit, leave the key out")
        let value: Double
        do {
            value = try container.decode(Double.self, forKey: Key(name))
        } catch DecodingError.typeMismatch {
            throw error(name, "must be a number.")
        }
        guard value.isFinite, value >= 0 else {
            throw error(name, "must be a number of at least 0, and is \(value).")
        }
        return value
    }

    mutating func milliseconds(_ name: String) throws -> Duration? {
        guard let value = try number(name) else { return nil }
        // A duration beyond this overflows, and no unit of work lasts 30 years.
        guard value < 1e12 else { throw error(name, "is too large for a duration in milliseconds: \(value).") }
        return .nanoseconds(Int64((value * 1e6).rounded()))
    }

    private func refuseNull(_ name: String, _ type: String) throws {
        if contains(name), try container.decodeNil(forKey: Key(name)) { throw error(name, "must be \(type).") }
    }

    mutating func text(_ name: String) throws -> String? {
        known.insert(name)
        try refuseNull(name, "a text")
        do {
            return try container.decodeIfPresent(String.self, forKey: Key(name))
        } catch DecodingError.typeMismatch {
            throw error(name, "must be a text.")
        }
    }

    mutating func flag(_ name: String) throws -> Bool? {
        known.insert(name)
        try refuseNull(name, "true or false")
        do {
            return try container.decodeIfPresent(Bool.self, forKey: Key(name))
        } catch DecodingError.typeMismatch {
            throw error(name, "must be true or false.")
        }
    }

    mutating func nested<Value: Decodable>(_ name: String, of type: Value.Type) throws -> [String: Value]? {
        known.insert(name)
        try refuseNull(name, "an object")
        return try container.decodeIfPresent([String: Value].self, forKey: Key(name))
    }

    mutating func single<Value: Decodable>(_ name: String, of type: Value.Type) throws -> Value? {
        known.insert(name)
        try refuseNull(name, type is any Sequence.Type ? "a list" : "an object")
        return try container.decodeIfPresent(Value.self, forKey: Key(name))
    }

    /// Whatever was not asked for does not belong to a budget.
    func finish() throws {
        for key in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue })
        where !known.contains(key.stringValue) {
            throw error(key.stringValue, "is not a key of a budget" + hint(for: key.stringValue) + ".")
        }
    }

    /// Says which key was probably meant, and in which unit.
    private func hint(for name: String) -> String {
        let lowered = name.lowercased()
        let units = known.filter { $0.hasSuffix("Milliseconds") }
        if let meant = units.first(where: { lowered.hasPrefix($0.dropLast("Milliseconds".count).lowercased()) }) {
            return "; durations are in milliseconds: \"\(meant)\""
        }
        if let meant = known.first(where: { $0.hasSuffix("Bytes") && lowered.hasPrefix($0.dropLast(5).lowercased()) }) {
            return "; sizes are in bytes: \"\(meant)\""
        }
        if let meant = known.first(where: { $0.lowercased() == lowered || $0.lowercased() == "max" + lowered }) {
            return "; did you mean \"\(meant)\"?"
        }
        return "; its keys are " + known.sorted().joined(separator: ", ")
    }

    func error(_ name: String, _ problem: String) -> DecodingError {
        .dataCorrupted(
            .init(codingPath: container.codingPath + [Key(name)], debugDescription: "\"\(name)\" \(problem)"))
    }
}
