import Foundation
import WeirModel

/// Redacts a HAR file so that it can be attached to a report of a fault, and still audits to the same findings.
///
/// In two passes over the file: ``Survey`` learns which words are the structure of its URLs, and ``Rewriting`` writes it
/// again. Both take the bytes as they come and hold one entry at a time.
package enum HARRedaction {
    /// What becomes of bodies.
    package enum Bodies: String, Sendable, CaseIterable {
        /// Bodies of JSON, events, forms and plain text stay with pseudonyms, of the same length; others go.
        case keep
        /// No body stays; dependencies that bodies alone show are lost.
        case drop
    }

    /// Where a file's entries are.
    enum Source: Sendable {
        /// In the array that is found so many restarts after the first.
        case array(restarts: Int)
        /// In the text around the entries: the file is one entry, or a key is written with escapes.
        case outline
    }

    /// What the first pass found.
    package struct Plan: Sendable {
        var survey: RedactionSurvey
        var source: Source
        /// How many entries there are.
        package var entryCount: Int
    }

    /// Feeds a stream.
    static func feed(
        _ bytes: UnsafeRawBufferPointer, to stream: inout HARStream, _ sink: inout some HAREntrySink,
        isFirst: inout Bool
    ) throws(Recording.Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = stream.take(rest)
            if stream.isFull { try process(&stream, &sink, isLast: false, isFirst: &isFirst) }
        }
    }

    static func process(
        _ stream: inout HARStream, _ sink: inout some HAREntrySink, isLast: Bool, isFirst: inout Bool
    ) throws(Recording.Failure) {
        if isFirst {
            isFirst = false
            try RecordingReader.checkNotCompressed(stream.pending)
        }
        try stream.process(isLast: isLast, into: &sink)
    }

    /// The log around the entries.
    static func log(of stream: HARStream) throws(Recording.Failure) -> (root: JSONValue, log: HARLog) {
        let bytes = stream.cut == nil ? stream.outline.bytes : stream.outline.closed
        guard bytes.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
            throw Recording.Failure(.empty, at: TextPosition())
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            throw Recording.Failure(.notJSON(error.detail), at: stream.origin.position(of: error.offset, in: bytes))
        }
        let located = JSONDocument(document, origin: stream.origin)
        var notes = NoteCollector()
        return (located.root, try HARLog(in: located.root, &notes))
    }
}

extension HARRedaction {
    /// The first pass: which words stay.
    package struct Survey {
        private struct Sink: HAREntrySink {
            var survey = RedactionSurvey()
            var restarts = 0
            var count = 0

            mutating func restart() {
                survey = RedactionSurvey()
                restarts += 1
                count = 0
            }

            mutating func take(_ document: JSONDocument, _ roots: [Int]) {
                for root in roots { take(JSONValue(document: document, index: root)) }
            }

            mutating func take(_ entry: JSONValue) {
                count += 1
                if let url = entry["request"]?["url"]?.string { survey.add(url: RequestURL(url)) }
                addBody(entry["request"]?["postData"], isRequest: true)
                addBody(entry["response"]?["content"], isRequest: false)
            }

            private mutating func addBody(_ value: JSONValue?, isRequest: Bool) {
                guard let value, let text = value["text"] else { return }
                let isBase64 = value["encoding"]?.string?.lowercased() == "base64"
                let type = value["mimeType"]?.string
                text.withStringBytes { bytes in
                    if isBase64 {
                        guard let data = Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters) else {
                            return
                        }
                        data.withUnsafeBytes { add($0, type, isRequest: isRequest) }
                    } else {
                        add(bytes, type, isRequest: isRequest)
                    }
                }
            }

            private mutating func add(_ bytes: UnsafeRawBufferPointer, _ type: String?, isRequest: Bool) {
                let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
                switch BodyRewriter.Form(contentType: type, first: first, isRequest: isRequest) {
                case .json: survey.add(json: bytes)
                case .eventStream:
                    var lines: [UInt8] = []
                    for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
                    where line.starts(with: "data:".utf8) {
                        lines += line.dropFirst(5)
                        lines.append(0x0A)
                    }
                    lines.withUnsafeBytes { survey.add(json: $0) }
                case .form, .text, .opaque: break
                }
            }

            mutating func skip(_ reason: Recording.Reason) { count += 1 }
        }

        private var stream = HARStream(capacity: HARReading.bufferSize)
        private var sink = Sink()
        private var isFirst = true

        /// Begins.
        package init() {}

        /// Takes bytes that follow.
        package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Recording.Failure) {
            try HARRedaction.feed(bytes, to: &stream, &sink, isFirst: &isFirst)
        }

        /// Ends the pass.
        ///
        /// - Throws: ``Recording/Failure`` when the file as a whole is no HAR.
        package consuming func finish() throws(Recording.Failure) -> Plan { try conclude() }

        private mutating func conclude() throws(Recording.Failure) -> Plan {
            try HARRedaction.process(&stream, &sink, isLast: true, isFirst: &isFirst)
            let (root, log) = try HARRedaction.log(of: stream)
            var source = Source.array(restarts: sink.restarts)
            if let list = log.entries {
                if list.offset != stream.outline.entriesOffset {
                    source = .outline
                    sink.restart()
                    for value in list.elements { sink.take(value) }
                } else if let cut = stream.cut {
                    guard sink.count > 0 else { throw Recording.Failure(cut) }
                }
            } else {
                source = .outline
                sink.restart()
                sink.take(root)
            }
            return Plan(survey: sink.survey, source: source, entryCount: sink.count)
        }
    }

    /// The second pass: the file is written again.
    package struct Rewriting {
        private struct Sink: HAREntrySink {
            var rewriter: HAREntryRewriter
            /// How many restarts are still to come before the entries.
            var restarts: Int?
            var count = 0
            var out: [UInt8] = []

            mutating func restart() { restarts = restarts.map { $0 - 1 } }

            mutating func take(_ document: JSONDocument, _ roots: [Int]) {
                guard restarts == 0 else { return }
                for root in roots { write(JSONValue(document: document, index: root)) }
            }

            mutating func write(_ entry: JSONValue) {
                let bytes = rewriter.rewrite(entry, index: count)
                append(bytes)
            }

            /// What is no JSON keeps its place among the entries.
            mutating func skip(_ reason: Recording.Reason) {
                guard restarts == 0 else { return }
                append(Array("null".utf8))
            }

            private mutating func append(_ bytes: [UInt8]) {
                out += Array((count == 0 ? "\n" : ",\n").utf8)
                out += bytes
                count += 1
            }
        }

        private var stream = HARStream(capacity: HARReading.bufferSize)
        private var sink: Sink
        private var isFirst = true

        /// Begins.
        ///
        /// - Parameters:
        ///   - plan: What the first pass found in the same bytes.
        ///   - bodies: What becomes of bodies.
        ///   - key: 128 random bits; equal keys give equal pseudonyms within one process.
        package init(
            _ plan: Plan, bodies: Bodies = .keep,
            key: (UInt64, UInt64) = (.random(in: 0 ... .max), .random(in: 0 ... .max))
        ) {
            let restarts: Int? = if case .array(let restarts) = plan.source { restarts } else { nil }
            sink = Sink(
                rewriter: HAREntryRewriter(ValuePseudonyms(plan.survey, key: key), bodies: bodies), restarts: restarts)
            sink.out = Array("{\"log\":{\"version\":\"1.2\",\"entries\":[".utf8)
        }

        /// Takes bytes that follow, and gives what can be written.
        package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Recording.Failure) -> [UInt8] {
            try HARRedaction.feed(bytes, to: &stream, &sink, isFirst: &isFirst)
            return drain()
        }

        /// Ends the pass, and gives the rest.
        package mutating func finish() throws(Recording.Failure) -> [UInt8] {
            try HARRedaction.process(&stream, &sink, isLast: true, isFirst: &isFirst)
            let (root, log) = try HARRedaction.log(of: stream)
            if sink.restarts == nil {
                if let list = log.entries {
                    for value in list.elements { sink.write(value) }
                } else {
                    sink.write(root)
                }
            } else if let cut = stream.cut {
                sink.skip(.malformedEntry(cut.description))
            }
            sink.out += Array("\n]".utf8)
            if let pages = log.pages {
                sink.out += Array(",\n\"pages\":[".utf8)
                for (index, page) in pages.elements.enumerated() {
                    if index > 0 { sink.out.append(UInt8(ascii: ",")) }
                    sink.out += page.isObject ? sink.rewriter.rewrite(page: page) : Array("null".utf8)
                }
                sink.out += Array("]".utf8)
            }
            // Versions look like addresses.
            let redactor = Redactor()
            for (name, producer) in [("creator" as StaticString, log.creator), ("browser", log.browser)] {
                guard let producer else { continue }
                var writer = JSONWriter()
                writer.beginObject()
                writer.key(name)
                writer.beginObject()
                writer.member("name", redactor.redact(text: producer.name))
                writer.member("version", producer.version ?? "")
                writer.endObject()
                // Without the brackets around the member.
                sink.out += Array(",\n".utf8) + writer.take().dropFirst()
            }
            sink.out += Array("}}\n".utf8)
            return drain()
        }

        private mutating func drain() -> [UInt8] {
            defer { sink.out.removeAll(keepingCapacity: true) }
            return sink.out
        }
    }
}
