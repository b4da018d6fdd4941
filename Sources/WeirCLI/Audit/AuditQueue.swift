/// Units whose text is being written beside each other, and given out in their order.
struct AuditQueue {
    /// How many units wait at most: each holds its records.
    private static let most = 4

    private let text: AuditText
    private let isOnly: Bool
    private let isSilent: Bool
    private var waiting: [(unit: AuditedUnit, text: Task<String, Never>?)] = []

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - text: Writes each unit.
    ///   - isOnly: Whether there is no more than one unit.
    ///   - isSilent: Whether nothing is to be written.
    init(_ text: AuditText, isOnly: Bool, isSilent: Bool) {
        self.text = text
        self.isOnly = isOnly
        self.isSilent = isSilent
    }

    var hasRoom: Bool { waiting.count < Self.most }
    var isEmpty: Bool { waiting.isEmpty }

    /// Begins to write a unit.
    mutating func add(_ unit: AuditedUnit?) {
        guard let unit else { return }
        let isNamed = !isOnly || unit.name != nil
        waiting.append((unit, isSilent ? nil : Task { [text] in text.unit(unit, isNamed: isNamed) }))
    }

    /// The unit that was added first, and its text.
    mutating func takeFirst() -> (AuditedUnit, Task<String, Never>?)? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        return (first.unit, first.text)
    }
}
