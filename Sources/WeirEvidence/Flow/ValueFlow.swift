package import WeirModel

/// Which values of a unit of work's responses came back in its later requests: the true dependencies that can be seen.
///
/// It is fed in the order in which things happened: a request when it is created (``begin(_:_:)``), values when they
/// have arrived (``receive(_:_:places:)``). A value counts as received only if no request of the unit carried it before, so
/// an answer that repeats what it was asked for, or a constant of the app, is no source. What is kept is a hash, a place
/// and the strength of each value, up to a limit.
package struct ValueFlow: Sendable {
    /// How much is kept, and how much is too common.
    package struct Limits: Sendable {
        /// The most values of a unit of work; those that come later are not kept, and their tasks count as not examined.
        package var values = 100_000
        /// The most values of one response.
        package var valuesPerResponse = 20_000
        /// In more resources than this a value is part of the surroundings, and says nothing of where it was taken from.
        package var resources = 4

        package init() {}
    }

    /// A value at one place of one response.
    struct Occurrence: Sendable {
        var task: Int32
        var place: Int32
        /// Which of the task's responses: 0, or more after redirects.
        var hop: UInt16
        var indices: ArrayIndices
        var strength: ValueStrength
        var isDerived: Bool
        var isCookie: Bool
        /// The next occurrence of the same value, or -1.
        var next: Int32 = -1
    }

    struct Task: Sendable {
        var id: TaskRecord.ID
        var resource: UInt64
        var route: UInt64
        var list: UInt64
        var noun: UInt32
        var isUnsafe: Bool
        var signsIn: Bool
        /// The places of each of its responses.
        var places: [PlaceTable] = []
        var isComplete = true
    }

    /// The most occurrences of one value.
    private static let occurrencesPerValue = 12

    let limits: Limits
    private(set) var tasks: [Task] = []
    private var indices: [TaskRecord.ID: Int32] = [:]
    private(set) var occurrences: [Occurrence] = []
    /// The first occurrence of each value.
    private var firsts = HashTable()
    /// The values that a request has carried.
    private var known = HashTable()
    /// How many values were not kept because of the limit.
    package private(set) var dropped = 0
    /// Whether a response has set a cookie.
    package private(set) var hasCookies = false

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// A task is created with a request.
    ///
    /// - Returns: What its request shows it to need, of any grade; at most one edge for each source.
    package mutating func begin(_ id: TaskRecord.ID, _ request: RequestEvidence) -> [TaskRecord.Edge] {
        let edges = edges(of: request)
        indices[id] = Int32(tasks.count)
        tasks.append(
            Task(
                id: id, resource: request.resource, route: request.route, list: request.list, noun: request.noun,
                isUnsafe: request.isUnsafe, signsIn: request.signsIn))
        remember(request)
        return edges
    }

    /// A task goes on with another request: a redirect was followed.
    package mutating func follow(_ id: TaskRecord.ID, _ request: RequestEvidence) {
        guard let index = indices[id] else { return }
        remember(request)
        tasks[Int(index)].signsIn = tasks[Int(index)].signsIn || request.signsIn
    }

    /// Values of a task's response have arrived.
    ///
    /// - Parameters:
    ///   - id: A task that has begun.
    ///   - values: The values that are new.
    ///   - places: The places of all of the response's values.
    ///   - hop: Which of the task's responses it is, if each has places of its own.
    package mutating func receive(
        _ id: TaskRecord.ID, _ values: some Collection<SourceValue>, places: PlaceTable, hop: Int = 0
    ) {
        guard let index = indices[id], !values.isEmpty, hop >= 0, hop < Int(UInt16.max) else { return }
        while tasks[Int(index)].places.count <= hop { tasks[Int(index)].places.append(PlaceTable()) }
        tasks[Int(index)].places[hop] = places
        for value in values {
            if value.isCookie { hasCookies = true }
            if known[value.hash] != nil { continue }
            guard occurrences.count < limits.values else {
                dropped += 1
                tasks[Int(index)].isComplete = false
                continue
            }
            add(value, of: index, hop: UInt16(hop))
        }
    }

    /// Whether all values that were received of a task are kept.
    package func isComplete(_ id: TaskRecord.ID) -> Bool {
        indices[id].map { tasks[Int($0)].isComplete } ?? false
    }

    /// The places among which an occurrence's is.
    func places(of occurrence: Occurrence) -> PlaceTable { tasks[Int(occurrence.task)].places[Int(occurrence.hop)] }

    /// The occurrences of a value, by their arrival.
    func occurrences(of hash: UInt64) -> [Occurrence] {
        var result: [Occurrence] = []
        var next = firsts[hash] ?? -1
        while next >= 0 {
            result.append(occurrences[Int(next)])
            next = occurrences[Int(next)].next
        }
        return result
    }

    private mutating func add(_ value: SourceValue, of task: Int32, hop: UInt16) {
        let index = Int32(occurrences.count)
        if let first = firsts[value.hash] {
            var last = first
            var count = 1
            while true {
                let occurrence = occurrences[Int(last)]
                if occurrence.task == task, occurrence.place == value.place, occurrence.hop == hop { return }
                guard occurrence.next >= 0 else { break }
                last = occurrence.next
                count += 1
            }
            guard count < Self.occurrencesPerValue else { return }
            occurrences[Int(last)].next = index
        } else {
            firsts.set(value.hash, to: index)
        }
        occurrences.append(
            Occurrence(
                task: task, place: value.place, hop: hop, indices: value.indices, strength: value.strength,
                isDerived: value.isDerived, isCookie: value.isCookie))
    }

    private mutating func remember(_ request: RequestEvidence) {
        for value in request.values where known.count < 4 * limits.values { known.set(value.hash, to: 0) }
    }
}
