import WeirEvidence

extension Recording {
    /// Whether and how a file's bodies and headers are looked through for true dependencies.
    ///
    /// Values that came back in a later request of the same page become edges of its record. No content is kept.
    public struct Dependencies: Sendable, Hashable {
        /// The most values of one page that are kept to compare with; nil when dependencies are not looked for.
        ///
        /// Over it a note says how many were not kept, and the records they are from count as not examined.
        public let valuesPerUnit: Int?

        /// Dependencies are looked for.
        ///
        /// - Parameter valuesPerUnit: The most values of one page, from 0; each takes about 60 bytes.
        public static func find(valuesPerUnit: Int = 100_000) -> Dependencies {
            Dependencies(valuesPerUnit: max(0, valuesPerUnit))
        }

        /// Bodies are passed over, and no record is examined.
        public static let ignore = Dependencies(valuesPerUnit: nil)

        var limits: ValueFlow.Limits? {
            valuesPerUnit.map { count in
                var limits = ValueFlow.Limits()
                limits.values = count
                return limits
            }
        }
    }
}
