package import WeirModel

/// Whether what is personal is taken out of records before they are written.
public enum RecordRedaction: Sendable, Hashable {
    /// Without addresses, query values, identifiers in paths, and titles of pages: see `Redactor`.
    case redacted
    /// As they are, personal data included.
    case raw
}

/// Takes what is personal out of records that are written to one file.
package struct RecordFilter: Sendable {
    private let redactor: Redactor?

    /// Makes a filter with no pseudonyms yet.
    package init(_ redaction: RecordRedaction) {
        redactor = redaction == .redacted ? Redactor() : nil
    }

    /// Whether it changes anything.
    package var isRedacting: Bool { redactor != nil }

    /// The record as it is to be written.
    package func apply(to record: TaskRecord) -> TaskRecord {
        guard let redactor else { return record }
        var record = redactor.redact(record)
        if let unit = record.unit { record.unit = apply(to: unit, isFromFile: record.attribution == .file) }
        return record
    }

    /// The unit as it is to be written: a page's title, unlike a name that a developer chose, can say anything of anyone.
    package func apply(to unit: UnitOfWork.Reference, isFromFile: Bool) -> UnitOfWork.Reference {
        guard let redactor else { return unit }
        var unit = unit
        if RequestURL(unit.id.rawValue).isNetwork {
            unit.id.rawValue = redactor.redact(RequestURL(unit.id.rawValue)).absoluteString
        } else if isFromFile, !Self.isPlain(unit.id.rawValue, redactor) {
            unit.id.rawValue = redactor.pseudonym(for: unit.id.rawValue[...])
        }
        if RequestURL(unit.name).isNetwork {
            unit.name = redactor.redact(RequestURL(unit.name)).absoluteString
        } else if isFromFile {
            unit.name = unit.id.rawValue
        }
        return unit
    }

    /// Whether a page's id looks like one, `page_3` or `page@4f1c2a`, rather than like a title: some programs write that there.
    private static func isPlain(_ id: String, _ redactor: Redactor) -> Bool {
        id.utf8.count <= 64
            && id.utf8.allSatisfy {
                $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || [0x2D, 0x2E, 0x3A, 0x40, 0x23, 0x5F].contains($0)
            }
            && redactor.redact(text: id) == id
    }
}
