public import Foundation
public import WeirModel

/// What a file told: the records in it, by unit of work, and what could not be read.
///
/// Nothing is left out in silence: an entry that is in no record is in ``skipped``, and what was tolerated, guessed or
/// not trusted is in ``notes``.
public struct Recording: Sendable {
    /// The format of the file.
    public var format: Format
    /// The version that the file names, such as "1.2", or nil.
    public var version: String?
    /// What wrote the file, or nil where it does not say.
    public var creator: Producer?
    /// The browser that was recorded, or nil where the file does not say.
    public var browser: Producer?
    /// The units of work, in the order of the file; pages of a HAR file are often repeat runs, so they are never mixed.
    public var units: [Unit] = []
    /// How many entries (HAR) or lines that are not blank (records) the file has.
    public var entryCount = 0
    /// The entries or lines that are in no record, in the order of the file.
    public var skipped: [Skipped] = []
    /// What was tolerated, guessed or not trusted.
    public var notes: [Note] = []

    /// Makes an empty recording.
    public init(format: Format) {
        self.format = format
    }

    /// All records, unit by unit.
    public var records: [TaskRecord] { units.flatMap(\.records) }

    /// The notes that a reader of a report must know of.
    public var warnings: [Note] { notes.filter(\.isWarning) }
}

extension Recording {
    /// A file format.
    public enum Format: String, Sendable, Hashable, Codable {
        /// An HTTP archive (HAR 1.1 or 1.2).
        case har
        /// One ``TaskRecord`` as JSON on each line.
        case records
    }

    /// A program that recorded or was recorded.
    public struct Producer: Sendable, Hashable, Codable {
        /// The program's name.
        public var name: String
        /// The program's version, or nil.
        public var version: String?

        /// Makes a producer.
        public init(name: String, version: String? = nil) {
            self.name = name
            self.version = version
        }
    }

    /// The records of one unit of work: one page of a HAR file, or one unit of a record file.
    public struct Unit: Sendable {
        /// How the records name the unit; id and name are empty for entries that belong to no page.
        public var reference: UnitOfWork.Reference
        /// When the page began to load, as the file says, or nil.
        public var started: Date?
        /// When the page's content was loaded, in seconds from ``started``, or nil.
        public var contentLoaded: TimeInterval?
        /// When the page was loaded, in seconds from ``started``, or nil.
        public var loaded: TimeInterval?
        /// Whether the file lists the page, rather than only entries that refer to it.
        public var isDeclared: Bool
        /// How many entries of the file belong to the unit, skipped ones included.
        public var entryCount = 0
        /// How many of them are in no record.
        public var skippedCount = 0
        /// The records, by start.
        public var records: [TaskRecord] = []

        /// Whether any of its entries could be read.
        public var hasRecords: Bool { entryCount > skippedCount }

        /// Makes a unit without records.
        public init(reference: UnitOfWork.Reference, isDeclared: Bool) {
            self.reference = reference
            self.isDeclared = isDeclared
        }
    }
}
