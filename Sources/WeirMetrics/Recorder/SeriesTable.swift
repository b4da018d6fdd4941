import WeirModel

/// The series that one thread at a time fills: flat arrays, in which a task that falls into series that are there takes no memory.
struct SeriesTable: Sendable {
    /// How the distributions are held.
    enum Kind: Sendable, Hashable {
        case exponential(maximumBuckets: Int, maximumScale: Int, zeroThreshold: Double)
        /// Boundaries in seconds.
        case fixed(boundaries: [Double])
    }

    /// One series.
    struct Slot: Sendable {
        var route: Int32
        var server: Int32
        var traits: Observation.Traits
        /// The places of its histograms by the rank of the measure; -1 where there is none.
        var places = SIMD8<Int32>(repeating: -1)
        var requests: UInt64 = 0
        var slow: UInt64 = 0
        var newConnections: UInt64 = 0
        var reusedConnections: UInt64 = 0
        var redirects: UInt64 = 0
        var wireBytes: UInt64 = 0
        var decodedBytes: UInt64 = 0
        var sentBytes: UInt64 = 0
        var impossiblePhases: UInt64 = 0
    }

    /// What slots count by their traits, and the overflow by itself.
    struct Mixed: Sendable {
        var failures = [UInt64](repeating: 0, count: FailureKind.allCases.count + 1)
        var errorStatuses: UInt64 = 0
        var cacheHits: UInt64 = 0
        var revalidated: UInt64 = 0
    }

    let kind: Kind
    let limit: Int
    private(set) var slots: [Slot] = []
    private(set) var mixed = Mixed()
    /// The place of the overflow; -1 as long as there is none.
    private(set) var overflow = -1
    private var known = HashTable()
    private var exponential: [ExponentialHistogram] = []
    private var fixed: [FixedBucketHistogram] = []

    init(_ kind: Kind, limit: Int) {
        self.kind = kind
        self.limit = limit
    }

    /// Adds a task.
    mutating func record(_ observation: Observation, route: Int32, server: Int32, isSlow: Bool) {
        let place = slot(route, server, observation.traits)
        slots[place].add(observation, isSlow: isSlow)
        if place == overflow { mixed.add(observation.traits) }
        for rank in 0..<7 where !observation.times[rank].isNaN {
            var histogram = Int(slots[place].places[rank])
            if histogram < 0 {
                histogram = makeHistogram()
                slots[place].places[rank] = Int32(histogram)
            }
            switch kind {
            case .exponential: exponential[histogram].record(observation.times[rank])
            case .fixed: fixed[histogram].record(observation.times[rank])
            }
        }
    }

    /// The distributions of a slot.
    func distributions(of slot: Slot) -> Distributions {
        var result = Distributions()
        for measure in Distributions.Measure.allCases {
            let place = Int(slot.places[measure.rank])
            guard place >= 0 else { continue }
            switch kind {
            case .exponential: result[measure] = .exponential(exponential[place])
            case .fixed: result[measure] = .fixed(fixed[place])
            }
        }
        return result
    }

    private mutating func slot(_ route: Int32, _ server: Int32, _ traits: Observation.Traits) -> Int {
        let packed = traits.packed
        let key = PathHash.mix(packed, UInt64(UInt32(bitPattern: route)) << 32 | UInt64(UInt32(bitPattern: server)))
        if let place = known[key], isSlot(Int(place), route, server, packed) { return Int(place) }
        return makeSlot(key, route, server, traits)
    }

    /// A hash of small numbers is not salted: equal ones are looked at.
    @inline(__always)
    private func isSlot(_ place: Int, _ route: Int32, _ server: Int32, _ packed: UInt64) -> Bool {
        slots[place].route == route && slots[place].server == server && slots[place].traits.packed == packed
    }

    private mutating func makeSlot(
        _ key: UInt64, _ route: Int32, _ server: Int32, _ traits: Observation.Traits
    ) -> Int {
        // Two series of one hash, which practically never happens: the second one goes with the overflow, and nothing is lost.
        guard slots.count - (overflow < 0 ? 0 : 1) < limit, known[key] == nil else {
            if overflow < 0 {
                overflow = slots.count
                slots.append(Slot(route: -1, server: 0, traits: Observation.Traits()))
            }
            return overflow
        }
        known.insert(key, Int32(slots.count))
        slots.append(Slot(route: route, server: server, traits: traits))
        return slots.count - 1
    }

    private mutating func makeHistogram() -> Int {
        switch kind {
        case .exponential(let buckets, let scale, let threshold):
            exponential.append(
                ExponentialHistogram(maximumBuckets: buckets, maximumScale: scale, zeroThreshold: threshold))
            exponential[exponential.count - 1].reserveBuckets()
            return exponential.count - 1
        case .fixed(let boundaries):
            fixed.append(FixedBucketHistogram(boundaries: boundaries))
            return fixed.count - 1
        }
    }
}

extension SeriesTable.Slot {
    @inline(__always)
    mutating func add(_ observation: Observation, isSlow: Bool) {
        requests &+= 1
        if isSlow { slow &+= 1 }
        newConnections &+= observation.newConnections
        reusedConnections &+= observation.reusedConnections
        redirects = redirects.addingSaturated(observation.redirects)
        wireBytes = wireBytes.addingSaturated(observation.wireBytes)
        decodedBytes = decodedBytes.addingSaturated(observation.decodedBytes)
        sentBytes = sentBytes.addingSaturated(observation.sentBytes)
        impossiblePhases &+= observation.impossiblePhases
    }

    /// What was counted.
    func counters(_ mixed: SeriesTable.Mixed?) -> MetricsSnapshot.Counters {
        var counters = MetricsSnapshot.Counters()
        counters.requests = requests
        counters.slow = slow
        counters.newConnections = newConnections
        counters.reusedConnections = reusedConnections
        counters.redirects = redirects
        counters.wireBytes = wireBytes
        counters.decodedBytes = decodedBytes
        counters.sentBytes = sentBytes
        counters.impossiblePhases = impossiblePhases
        if let mixed {
            counters.errorStatuses = mixed.errorStatuses
            counters.cacheHits = mixed.cacheHits
            counters.revalidated = mixed.revalidated
            for kind in FailureKind.allCases {
                let count = mixed.failures[Int(Observation.Traits.code(kind))]
                if count > 0 { counters.failures[kind] = count }
            }
        } else {
            if let kind = traits.failureKind { counters.failures[kind] = requests }
            if traits.status >= 400 { counters.errorStatuses = requests }
            if traits.source == .cache { counters.cacheHits = requests }
            if traits.source == .revalidated { counters.revalidated = requests }
        }
        return counters
    }
}

extension SeriesTable.Mixed {
    mutating func add(_ traits: Observation.Traits) {
        if traits.failure > 0 { failures[Int(traits.failure)] &+= 1 }
        if traits.status >= 400 { errorStatuses &+= 1 }
        if traits.source == .cache { cacheHits &+= 1 }
        if traits.source == .revalidated { revalidated &+= 1 }
    }
}
