import WeirModel

/// The parts of a HAR file's `log`, found also where it is not at the top.
struct HARLog {
    var version: String?
    var creator: Recording.Producer?
    var browser: Recording.Producer?
    var pages: JSONValue?
    /// The list of entries, or nil when the file is one entry.
    var entries: JSONValue?

    /// Finds the log in a document: `{"log": {...}}`, that inside one other object, a bare log, or a single entry.
    init(in root: JSONValue, _ notes: inout NoteCollector) throws(Recording.Failure) {
        guard root.isObject else { throw Recording.Failure(.noLog, at: root) }
        if let log = root["log"] {
            try self.init(log: log, &notes)
        } else if root["request"]?.isObject == true {
            notes.add(.singleEntry)
            self.init(entries: nil)
        } else if root["entries"]?.isArray == true {
            try self.init(log: root, &notes)
        } else {
            for (name, value) in root.members {
                guard let log = value["log"] else { continue }
                notes.add(.wrapped(name.string ?? ""), at: .byte(value.place))
                try self.init(log: log, &notes)
                return
            }
            throw Recording.Failure(.noLog, at: root)
        }
    }

    private init(entries: JSONValue?) {
        self.entries = entries
    }

    private init(log: JSONValue, _ notes: inout NoteCollector) throws(Recording.Failure) {
        guard log.isObject else { throw Recording.Failure(.logNotObject(found: log.kindName), at: log) }
        guard let list = log["entries"], !list.isNull else { throw Recording.Failure(.noEntries, at: log) }
        guard list.isArray else { throw Recording.Failure(.entriesNotArray(found: list.kindName), at: list) }
        var fields = HARFields()
        self.init(entries: list)
        log.withView { log in
            version = fields.text(log["version"], "log.version")
            creator = Self.producer(log["creator"], "log.creator", &fields)
            browser = Self.producer(log["browser"], "log.browser", &fields)
        }
        // Some exporters write an object where there is one page or none.
        if let value = log["pages"], !value.isNull {
            if value.isArray { pages = value } else { notes.add(.wrongType("log.pages"), at: .byte(value.place)) }
        }
        for path in fields.wrongTypes { notes.add(.wrongType(path), at: .byte(log.place)) }
    }

    private static func producer(
        _ value: JSONView?, _ path: String, _ fields: inout HARFields
    ) -> Recording.Producer? {
        guard let value = fields.object(value, path), let name = fields.text(value["name"], path + ".name") else {
            return nil
        }
        return Recording.Producer(name: name, version: fields.text(value["version"], path + ".version"))
    }
}
