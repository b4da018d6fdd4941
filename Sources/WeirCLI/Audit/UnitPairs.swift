/// The units of work of two recordings, paired.
struct UnitPairs {
    var pairs: [(before: AuditedUnit, after: AuditedUnit)] = []
    var onlyBefore: [AuditedUnit] = []
    var onlyAfter: [AuditedUnit] = []

    /// Pairs units by name, those of equal names in their order; a single one on each side is a pair.
    init(_ before: [AuditedUnit], _ after: [AuditedUnit]) {
        if before.count == 1, after.count == 1 {
            pairs = [(before[0], after[0])]
            return
        }
        var waiting: [String: [AuditedUnit]] = [:]
        for unit in before.reversed() { waiting[unit.name ?? "", default: []].append(unit) }
        for unit in after {
            if let partner = waiting[unit.name ?? ""]?.popLast() {
                pairs.append((partner, unit))
            } else {
                onlyAfter.append(unit)
            }
        }
        onlyBefore = before.filter { unit in
            waiting[unit.name ?? ""]?.contains { $0.id == unit.id } ?? false
        }
    }
}
