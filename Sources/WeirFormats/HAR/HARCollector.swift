import WeirModel

/// Gathers a file's entries, packed, and what they tell of the file.
struct HARCollector: HAREntrySink {
    /// A page that entries refer to.
    struct Page {
        var id: String
        /// The index of its first entry.
        var first: Int
        /// How many entries it has, skipped ones included.
        var count = 0
        /// Where those that could be read are in the store.
        var places: [Int] = []
        /// What they say of values that flow; empty where that is not looked for.
        var evidence: [HAREvidence?] = []
    }

    private(set) var count = 0
    private(set) var pages: [Page] = []
    private(set) var skipped: [Recording.Skipped] = []
    private(set) var survey = HARSurvey()
    private(set) var store = HAREntryStore()
    private var numbers: [String: Int] = [:]
    private let findsDependencies: Bool

    /// - Parameter findsDependencies: Whether entries are looked through for values that flow from one to another.
    init(findsDependencies: Bool) {
        self.findsDependencies = findsDependencies
    }

    mutating func restart() {
        if count > 0 { self = HARCollector(findsDependencies: findsDependencies) }
    }

    mutating func take(_ document: JSONDocument, _ roots: [Int]) {
        for root in roots { take(JSONValue(document: document, index: root)) }
    }

    mutating func take(_ value: JSONValue) {
        let id = HAREntry.pageID(of: value)
        let page = page(id)
        do throws(Recording.Reason) {
            let entry = try HAREntry(value, index: count, findsDependencies: findsDependencies)
            survey.add(entry)
            pages[page].places.append(store.append(entry))
            if findsDependencies { pages[page].evidence.append(entry.evidence) }
        } catch {
            skipped.append(Recording.Skipped(place: .entry(count), reason: error))
        }
        count += 1
    }

    mutating func skip(_ reason: Recording.Reason) {
        _ = page("")
        skipped.append(Recording.Skipped(place: .entry(count), reason: reason))
        count += 1
    }

    /// The entries of a page, which are not kept.
    mutating func takeEntries(ofPage number: Int) -> [HAREntry] {
        var entries = pages[number].places.map(store.entry)
        for (index, evidence) in zip(entries.indices, pages[number].evidence) { entries[index].evidence = evidence }
        pages[number].places = []
        pages[number].evidence = []
        return entries
    }

    /// The page of an entry, counted.
    private mutating func page(_ id: String) -> Int {
        let number: Int
        if let known = numbers[id] {
            number = known
        } else {
            number = pages.count
            numbers[id] = number
            pages.append(Page(id: id, first: count))
        }
        pages[number].count += 1
        return number
    }
}
