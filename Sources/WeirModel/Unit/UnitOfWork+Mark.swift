public import Foundation
import Synchronization

extension UnitOfWork {
    /// A moment inside a unit of work that has a name, such as the first frame.
    public struct Mark: Sendable, Hashable, Codable {
        /// The name, for people and for budgets.
        public var name: String
        /// The moment, of the clock of the records.
        public var date: Date

        /// Makes a mark.
        public init(name: String, date: Date) {
            self.name = name
            self.date = date
        }

        /// A mark of this moment.
        package static func now(_ name: String) -> Self { Self(name: name, date: ProcessClock.now) }
    }

    /// The marks that were set while the unit was open, in the order of their moments.
    public var marks: [Mark] { marked.withLock { $0 } }

    /// Gives this moment a name: what starts before it and what starts after it can be told apart in the report.
    ///
    /// A mark that is set again, or after the unit was closed, does not count: a screen has one first frame.
    ///
    /// - Parameter name: The name, such as `first frame`.
    public func mark(_ name: String) {
        guard isOpen else { return }
        let mark = Mark.now(name)
        marked.withLock { marks in
            guard !marks.contains(where: { $0.name == name }) else { return }
            // Threads may come here in another order than they took the time.
            let place = marks.lastIndex { $0.date <= mark.date }.map { $0 + 1 } ?? 0
            marks.insert(mark, at: place)
        }
    }
}
