public import WeirModel

/// The app's own dimension of the segments: a name, such as `screen`, and the few values that it may have.
public struct MetricsLabel: Sendable {
    /// What stands for a value that is not in the list.
    public static let other = "(other)"

    /// The name under which exports show it.
    public let name: String
    /// The values that it may have.
    public let values: [String]
    private let codes: [String: UInt16]
    private let value: @Sendable (TaskRecord) -> String?

    /// Makes a label.
    ///
    /// - Parameters:
    ///   - name: The name under which exports show it, such as `screen`.
    ///   - values: The values that it may have, at most 1 000; others count as `(other)`. They must not be personal.
    ///   - value: The value of a task, or nil for none. Without it, the name of the task's unit of work.
    public init(
        _ name: String, values: [String],
        value: @escaping @Sendable (_ record: TaskRecord) -> String? = { $0.unit?.name }
    ) {
        self.name = name
        self.values = Array(values.prefix(1_000))
        self.value = value
        var codes: [String: UInt16] = [:]
        for (place, value) in self.values.enumerated() where codes[value] == nil { codes[value] = UInt16(place + 1) }
        self.codes = codes
    }

    /// The number of a task's value: 0 for none.
    func code(of record: TaskRecord) -> UInt16 {
        guard let value = value(record) else { return 0 }
        return codes[value] ?? UInt16(values.count + 1)
    }

    /// The value that a number stands for.
    func value(of code: UInt16) -> String? {
        if code == 0 { return nil }
        return code <= values.count ? values[Int(code) - 1] : Self.other
    }
}
