import Dispatch
import Foundation
import Synchronization
import WeirEvidence
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
        var evidence: [ExchangeEvidence?] = []
        /// How many values that is, and how many were dropped although they could have made an edge.
        var held = 0
        var dropped = 0
        /// Whether what could make no edge was dropped, because the page seemed to be over, and how many values that was.
        var loose: Int?
    }

    /// The most values that are held before those of pages that seem to be over are looked through for loose ones.
    static let heldLimit = 20_000

    private(set) var count = 0
    private(set) var pages: [Page] = []
    private(set) var skipped: [Recording.Skipped] = []
    private(set) var survey = HARSurvey()
    private(set) var store = HAREntryStore()
    private var numbers: [String: Int] = [:]
    private var held = 0
    private var tables = PlaceTables()
    private let caches = TextCache.Pool()
    /// The page of the last entry.
    private var current = -1
    private let limits: ValueFlow.Limits?
    private let heldLimit: Int

    /// Makes one that has nothing.
    ///
    /// - Parameters:
    ///   - limits: How much is kept of each page to find values that flow from one entry to another, or nil when they are
    ///     not looked for.
    ///   - heldLimit: How many values may be held of pages that seem to be over.
    init(_ limits: ValueFlow.Limits?, heldLimit: Int = Self.heldLimit) {
        self.limits = limits
        self.heldLimit = heldLimit
    }

    mutating func restart() {
        if count > 0 { self = HARCollector(limits, heldLimit: heldLimit) }
    }

    mutating func take(_ document: JSONDocument, _ roots: [Int]) {
        let count = count
        let findsDependencies = limits != nil
        guard findsDependencies else {
            caches.withCache { texts in
                for root in roots {
                    document.withView(of: root) { take($0, findsDependencies: false, texts) }
                }
            }
            return
        }
        // Looking for values takes longer than the parser does: several at a time.
        let share = max(4, (roots.count + 7) / 8)
        let parts = (roots.count + share - 1) / max(1, share)
        let read = Lock([[Read]](repeating: [], count: parts))
        let caches = caches
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            let range = (part * share)..<min(roots.count, (part + 1) * share)
            let entries = caches.withCache { texts in
                range.map { place in
                    document.withView(of: roots[place]) {
                        Self.read($0, index: count + place, texts)
                    }
                }
            }
            read.withLock { $0[part] = entries }
        }
        for part in read.withLock({ $0 }) {
            for read in part {
                if let reason = read.reason { skip(reason, read.entry.pageID) } else { take(read.entry) }
            }
        }
    }

    mutating func take(_ value: JSONValue) {
        let findsDependencies = limits != nil
        caches.withCache { texts in value.withView { take($0, findsDependencies: findsDependencies, texts) } }
    }

    /// Reads an entry and takes it: what only is passed on is not copied.
    private mutating func take(_ value: JSONView, findsDependencies: Bool, _ texts: TextCache) {
        let members = texts.places.entry.members(of: value)
        do throws(Recording.Reason) {
            let entry = try HAREntry(value, members, index: count, findsDependencies: findsDependencies, texts)
            take(entry)
        } catch {
            skip(error, HAREntry.pageID(of: members, texts))
        }
    }

    /// An entry, or why it cannot be read, and its page.
    ///
    /// A class, since it goes from one thread to another, and a copy of an entry counts some thirty references.
    private final class Read: Sendable {
        /// Where it cannot be read, one that says nothing but its page.
        let entry: HAREntry
        let reason: Recording.Reason?

        init(_ entry: consuming HAREntry, _ reason: Recording.Reason? = nil) {
            self.entry = entry
            self.reason = reason
        }
    }

    private static func read(_ value: JSONView, index: Int, _ texts: TextCache) -> Read {
        let members = texts.places.entry.members(of: value)
        do throws(Recording.Reason) {
            return Read(try HAREntry(value, members, index: index, findsDependencies: true, texts))
        } catch {
            let pageID = HAREntry.pageID(of: members, texts)
            return Read(HAREntry(index: index, pageID: pageID, start: .distantPast, request: .init(url: "")), error)
        }
    }

    private mutating func take(_ entry: HAREntry) {
        let number = page(entry.pageID)
        if number != current { leave(for: number) }
        survey.add(entry)
        pages[number].places.append(store.append(entry))
        if let limits { hold(entry.evidence, number, limits) }
        count += 1
    }

    private mutating func skip(_ reason: Recording.Reason, _ pageID: String) {
        let number = page(pageID)
        if number != current { leave(for: number) }
        skipped.append(Recording.Skipped(place: .entry(count), reason: reason))
        count += 1
    }

    /// Holds what an entry says of values, up to a limit for each page.
    private mutating func hold(_ evidence: ExchangeEvidence?, _ number: Int, _ limits: ValueFlow.Limits) {
        guard var evidence else { return pages[number].evidence.append(nil) }
        // The limit itself is kept to later, when it is known what a request had carried before: that does not count.
        let most = limits.values > .max / 4 ? .max : 2 * limits.values + 100_000
        if pages[number].loose != nil || pages[number].held + evidence.count > most {
            let before = evidence.count
            evidence = evidence.withoutResponse
            pages[number].dropped += before - evidence.count + (pages[number].loose ?? 0)
            pages[number].loose = pages[number].loose.map { _ in 0 }
        }
        pages[number].held += evidence.count
        held += evidence.count
        pages[number].evidence.append(evidence)
    }

    /// Another page begins: those before it are over, most likely.
    private mutating func leave(for number: Int) {
        current = number
        guard held > heldLimit else { return }
        for index in pages.indices where index != number && pages[index].loose == nil && !pages[index].evidence.isEmpty
        {
            let dropped = ExchangeEvidence.removeLoose(from: &pages[index].evidence, sharing: &tables)
            pages[index].loose = dropped
            pages[index].held -= dropped
            held -= dropped
        }
    }

    mutating func skip(_ reason: Recording.Reason) {
        _ = page("")
        skipped.append(Recording.Skipped(place: .entry(count), reason: reason))
        count += 1
    }

    /// All entries have been taken: lets go of what only that needs.
    mutating func settle() {
        store.settle()
        tables = PlaceTables()
        numbers = [:]
    }

    /// Gives a page away: what is known of its entries is not kept here.
    mutating func takePage(_ number: Int) -> Page {
        let page = pages[number]
        pages[number].places = []
        pages[number].evidence = []
        return page
    }

    /// An entry of a page.
    func entry(_ number: Int, of page: Page) -> HAREntry {
        var entry = store.entry(at: page.places[number])
        if page.evidence.indices.contains(number) { entry.evidence = page.evidence[number] }
        return entry
    }

    /// The page of an entry, counted.
    private mutating func page(_ id: String) -> Int {
        if current >= 0, pages[current].id == id {
            pages[current].count += 1
            return current
        }
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
