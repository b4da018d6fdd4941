import Foundation
import WeirModel

/// The pages of a HAR file: those it lists, then those that entries only refer to.
struct HARPages {
    private(set) var units: [Recording.Unit] = []
    private var places: [String: Int] = [:]

    /// When each page started, where the file says so.
    var starts: [String: Date] {
        Dictionary(
            units.compactMap { unit in unit.started.map { (unit.reference.id.rawValue, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Reads the list of pages.
    init(_ list: JSONValue?, _ notes: inout NoteCollector) {
        list?.withView { read($0, &notes) }
    }

    private mutating func read(_ list: JSONView, _ notes: inout NoteCollector) {
        for value in list.elements {
            guard value.isObject else {
                notes.add(.wrongType("log.pages[]"), at: .byte(value.place))
                continue
            }
            var fields = HARFields()
            let id = fields.text(value["id"], "page.id") ?? ""
            let title = fields.text(value["title"], "page.title")
            if places[id] != nil {
                notes.add(.duplicatePage, at: .byte(value.place))
                continue
            }
            let reference = UnitOfWork.Reference(id: UnitOfWork.ID(rawValue: id), name: title ?? id)
            var unit = Recording.Unit(reference: reference, isDeclared: true)
            let started = fields.text(value["startedDateTime"], "page.startedDateTime")
            unit.started = started.flatMap { Timestamp.date(from: $0) }
            if let timings = fields.object(value["pageTimings"], "page.pageTimings") {
                unit.contentLoaded = Self.seconds(fields.milliseconds(timings["onContentLoad"], "page.onContentLoad"))
                unit.loaded = Self.seconds(fields.milliseconds(timings["onLoad"], "page.onLoad"))
            }
            for path in fields.wrongTypes { notes.add(.wrongType(path), at: .byte(value.place)) }
            places[id] = units.count
            units.append(unit)
        }
    }

    /// Counts entries of a page, and adds the page when it is not there.
    ///
    /// - Parameter first: The index of the first of them.
    mutating func count(
        _ id: String, entries: Int, skipped: Int, first: Int, _ notes: inout NoteCollector
    ) {
        let place: Int
        if let known = places[id] {
            place = known
        } else {
            place = units.count
            places[id] = place
            let reference = UnitOfWork.Reference(id: UnitOfWork.ID(rawValue: id), name: id)
            units.append(Recording.Unit(reference: reference, isDeclared: false))
        }
        units[place].entryCount += entries
        units[place].skippedCount += skipped
        if !units[place].isDeclared, !id.isEmpty { notes.add(.unknownPage, count: entries, at: .entry(first)) }
    }

    private static func seconds(_ milliseconds: Double?) -> TimeInterval? {
        milliseconds.flatMap { $0 >= 0 ? $0 / 1000 : nil }
    }
}
