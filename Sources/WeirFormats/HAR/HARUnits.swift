import WeirModel

/// The pages of an archive that has been read, with their records: made one at a time, in the order of the file's list.
struct HARUnits {
    /// What the file told, without its units; complete when there is no further page.
    private(set) var recording: Recording
    private var units: ArraySlice<Recording.Unit>
    private let assembly: HARAssembly
    private var notes: NoteCollector
    private let dependencies: Recording.Dependencies
    private var collector: HARCollector
    private let numbers: [String: Int]

    init(
        _ recording: Recording, _ units: [Recording.Unit], _ assembly: HARAssembly,
        _ dependencies: Recording.Dependencies, _ notes: NoteCollector, _ collector: HARCollector
    ) {
        self.recording = recording
        self.units = units[...]
        self.assembly = assembly
        self.dependencies = dependencies
        self.notes = notes
        self.collector = collector
        self.collector.settle()
        numbers = Dictionary(
            zip(collector.pages.map(\.id), collector.pages.indices), uniquingKeysWith: { first, _ in first })
        self.recording.notes = notes.notes
    }

    /// The pages that are still to come, without their records.
    var remaining: [Recording.Unit] { Array(units) }

    /// Leaves out the pages that do not fit.
    mutating func keep(where fits: (Recording.Unit) -> Bool) { units = units.filter(fits)[...] }

    /// The next page with its records.
    mutating func next() -> Recording.Unit? {
        guard var unit = units.popFirst() else {
            recording.notes = notes.notes
            return nil
        }
        if let number = numbers[unit.reference.id.rawValue] {
            let page = collector.takePage(number)
            let collector = collector
            notes.add(.evidenceCapped, count: page.dropped)
            unit.records = assembly.records(
                of: unit.reference, count: page.places.count, entry: { collector.entry($0, of: page) },
                limits: dependencies.limits, &notes)
        }
        return unit
    }
}
