import WeirModel

extension ValueFlow {
    /// How well the names at both ends agree.
    enum Agreement: Int, Comparable {
        case none
        /// The names are the same, and say little: `id` and `id`.
        case name
        /// They name the same thing: `bookID` and `/books/`.
        case noun

        static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// A value that went from a response to a request.
    private struct Flow {
        var occurrence: Occurrence
        var agreement: Agreement
        var grade: TaskRecord.Edge.Grade
        var isCursor: Bool
        /// Whether an earlier response had said the same.
        var isRepetition: Bool
        var place: Int32
        var hash: UInt64
    }

    /// What a request shows its task to need.
    func edges(of request: RequestEvidence) -> [TaskRecord.Edge] {
        var bySource: [Int32: [Flow]] = [:]
        for value in request.values {
            let candidates = occurrences(of: value.hash)
            guard !candidates.isEmpty else { continue }
            for flow in flows(value, request, candidates) { bySource[flow.occurrence.task, default: []].append(flow) }
        }
        return bySource.sorted { $0.key < $1.key }.compactMap { edge(from: $0.key, $0.value, request) }
    }

    /// The one edge that stands for all values from one source.
    private func edge(from source: Int32, _ flows: [Flow], _ request: RequestEvidence) -> TaskRecord.Edge? {
        // Of equal grade, the one that is easiest to understand: found as it stood, first in the request.
        let best = flows.enumerated().max { a, b in
            let (x, y) = (a.element, b.element)
            return (x.grade, x.occurrence.isDerived ? 0 : 1, x.agreement.rawValue, -a.offset)
                < (y.grade, y.occurrence.isDerived ? 0 : 1, y.agreement.rawValue, -b.offset)
        }?.element
        guard let best else { return nil }
        var grade = best.grade
        // Two coincidences at once are no coincidence.
        let telling = flows.filter { $0.occurrence.strength >= .low && !$0.occurrence.isCookie && !$0.isRepetition }
        if grade == .possible, Set(telling.map(\.hash)).count > 1 { grade = .likely }
        let task = tasks[Int(source)]
        let isCursor = flows.contains(where: \.isCursor)
        if request.isNumberedPage, request.list == task.list {
            // A page by number: the answer before it was not needed to ask for it, whatever that says.
            grade = .possible
        }
        return TaskRecord.Edge(
            source: task.id, kind: isCursor ? .cursor : .valueFlow, grade: grade,
            sourcePlace: places(of: best.occurrence).text(of: best.occurrence.place, indices: best.occurrence.indices),
            targetPlace: request.places[Int(best.place)].text)
    }

    /// Where a value came from: the response in which it was first known, and the latest that repeated it.
    private func flows(_ value: RequestValue, _ request: RequestEvidence, _ candidates: [Occurrence]) -> [Flow] {
        let place = request.places[Int(value.place)]
        let judged = candidates.filter { place.kind != .cookie || value.isCookie == $0.isCookie }
            .map { ($0, agreement($0, place)) }
        guard let best = judged.map(\.1).max() else { return [] }
        // What agrees less is taken for a coincidence. Of what agrees as well the first is the source: from then on the
        // value was known, and no rearranging can have it earlier.
        let alike = judged.filter { $0.1 == best }.map(\.0)
        let resources = Set(alike.map { tasks[Int($0.task)].resource }).count
        guard let first = alike.first, let last = alike.last,
            let grade = grade(first, best, value, request, resources: resources)
        else { return [] }
        var flows = [flow(first, best, grade, place, value, isRepetition: false)]
        if tasks[Int(last.task)].resource != tasks[Int(first.task)].resource, resources <= limits.resources {
            flows.append(flow(last, best, .possible, place, value, isRepetition: true))
        }
        return flows
    }

    private func flow(
        _ occurrence: Occurrence, _ agreement: Agreement, _ grade: TaskRecord.Edge.Grade, _ place: RequestPlace,
        _ value: RequestValue, isRepetition: Bool
    ) -> Flow {
        let source = places(of: occurrence).flags(of: occurrence.place)
        let isCursor = source.contains(.isCursor) || place.traits.flags.contains(.isCursor)
        return Flow(
            occurrence: occurrence, agreement: agreement, grade: grade, isCursor: isCursor,
            isRepetition: isRepetition, place: value.place, hash: value.hash)
    }

    /// How well the names agree.
    private func agreement(_ occurrence: Occurrence, _ place: RequestPlace) -> Agreement {
        let task = tasks[Int(occurrence.task)]
        let places = places(of: occurrence)
        let traits = places.traits(of: occurrence.place)
        let isReference = place.kind == .url || place.kind == .path
        if isReference, traits.flags.contains(.refers) || occurrence.strength >= .medium { return .noun }
        if traits.flags.contains(.isCursor), place.traits.flags.contains(.isCursor) { return .noun }
        let own = places.noun(of: occurrence.place)
        let noun = own == 0 ? task.noun : own
        if noun != 0, noun == place.noun { return .noun }
        if traits.name != 0, traits.name == place.traits.name { return .name }
        if traits.flags.contains(.isCredential), place.traits.flags.contains(.isCredential) { return .name }
        return .none
    }

    /// How sure it is that a value was taken from there; nil when that says nothing.
    private func grade(
        _ occurrence: Occurrence, _ agreement: Agreement, _ value: RequestValue, _ request: RequestEvidence,
        resources: Int
    ) -> TaskRecord.Edge.Grade? {
        let place = request.places[Int(value.place)]
        let traits = places(of: occurrence).traits(of: occurrence.place)
        if value.isCookie { return gradeOfCookie(occurrence, traits, isAsset: request.isAsset) }
        let isCommon = resources > limits.resources
        let isSingle = resources == 1
        let isReference = place.kind == .url || place.kind == .path
        let identifies =
            isReference || !traits.flags.isDisjoint(with: [.identifies, .isCursor, .refers, .isCredential])
        var grade: TaskRecord.Edge.Grade?
        switch occurrence.strength {
        case .none: grade = nil
        case .tiny: grade = agreement == .noun && traits.flags.contains(.identifies) && isSingle ? .possible : nil
        case .word:
            // A word is an identifier only where both ends say so.
            let isNamed =
                traits.flags.contains(.identifiesByWord) || traits.flags.contains(.refers)
                || agreement == .noun && !traits.flags.isDisjoint(with: [.identifies, .isCursor])
            if isCommon || agreement == .none || !isNamed {
                grade = nil
            } else {
                let isExpected = place.takesIdentifiers || place.traits.flags.contains(.isCursor)
                grade = agreement == .noun && isExpected && isSingle ? .likely : .possible
            }
        case .low:
            if isCommon {
                grade = nil
            } else if agreement == .noun, identifies {
                grade = isSingle ? .certain : .likely
            } else if isSingle, agreement != .none && identifies || identifies && place.takesIdentifiers {
                grade = .likely
            } else {
                grade = .possible
            }
        case .medium:
            if isCommon {
                grade = .possible
            } else if isSingle {
                grade = agreement > .none && identifies ? .certain : .likely
            } else {
                grade = agreement > .none && identifies ? .likely : .possible
            }
        case .high: grade = isCommon ? .possible : isSingle ? .certain : .likely
        }
        if value.isDerived || occurrence.isDerived, occurrence.strength < .high {
            grade = grade.map { min($0, .likely) }
        }
        return grade
    }

    /// A cookie goes back with every request, needed or not: only one that somebody signs in with is a dependency, and
    /// not of pictures and scripts.
    private func gradeOfCookie(
        _ occurrence: Occurrence, _ traits: KeyTraits, isAsset: Bool
    ) -> TaskRecord.Edge.Grade {
        let task = tasks[Int(occurrence.task)]
        guard task.isUnsafe, !isAsset else { return .possible }
        return task.signsIn ? .certain : traits.flags.contains(.isCredential) ? .likely : .possible
    }
}
