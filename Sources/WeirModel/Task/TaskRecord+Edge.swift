extension TaskRecord {
    /// A true dependency: this task needed something from another.
    public struct Edge: Sendable, Hashable, Codable {
        /// Where the dependency is known from.
        public enum Kind: String, Sendable, Hashable, Codable {
            /// A value of the source's response came back in this task's request.
            case valueFlow
            /// The source's response named the next page: inherently serial.
            case cursor
            /// The app said so.
            case declared
            /// The browser says that the source, a document or a script, made it ask.
            case initiator
        }

        /// How sure it is; what is only possible never fails a test.
        public enum Grade: String, Sendable, Hashable, Codable, Comparable {
            /// Could be a coincidence.
            case possible
            /// A coincidence is unlikely.
            case likely
            /// Cannot be a coincidence.
            case certain

            private var rank: Int {
                switch self {
                case .possible: 0
                case .likely: 1
                case .certain: 2
                }
            }

            /// From possible to certain.
            public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        }

        /// The task that was needed.
        public var source: TaskRecord.ID
        /// Where the dependency is known from.
        public var kind: Kind
        /// How sure it is.
        public var grade: Grade
        /// Where the value stood in the source's response, such as `$[3].bookID` or `Location`.
        public var sourcePlace: String
        /// Where the value stands in this task's request, such as `the last path segment`.
        public var targetPlace: String

        /// Makes an edge.
        public init(
            source: TaskRecord.ID, kind: Kind, grade: Grade, sourcePlace: String = "", targetPlace: String = ""
        ) {
            self.source = source
            self.kind = kind
            self.grade = grade
            self.sourcePlace = sourcePlace
            self.targetPlace = targetPlace
        }
    }
}
