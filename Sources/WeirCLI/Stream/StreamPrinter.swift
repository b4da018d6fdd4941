import Dispatch
import Foundation
import WeirReports
import WeirStreams

/// Prints messages as they come, counts them, and says at the end how it was.
final class StreamPrinter {
    /// Enough messages have come.
    struct Enough: Error {}

    private let context: Context
    private let isJSON: Bool
    private let isTimed: Bool
    private let most: Int?
    private let start: Date
    private var last: Date
    private let encoder: JSONEncoder
    private let decoder = StreamingJSONDecoder()
    /// Nil when standard error is no terminal.
    private var progress: ProgressLine?

    private(set) var count = 0
    private(set) var failures = 0
    private(set) var undecodable = 0
    /// Whether nothing more could be had of the stream.
    private(set) var hasFailed = false
    var clock = StreamClock()

    init(_ context: Context, isJSON: Bool, isTimed: Bool, most: Int?) {
        self.context = context
        self.isJSON = isJSON
        self.isTimed = isTimed
        self.most = most
        start = context.now()
        last = start
        encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        progress = context.showsProgress ? ProgressLine(start: Self.now) : nil
    }

    /// The seconds of a clock that only goes forward, for the stages.
    static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    func take(_ result: Result<FeedMessage, StreamError>) throws {
        switch result {
        case .success(let message): try take(message)
        case .failure(let error):
            failures += 1
            hasFailed = hasFailed || error.isFatal || error.reason == .incomplete
            complain("weir: \(PrintableText("\(error)"))\n")
        }
    }

    /// How many bytes the stream will have.
    func expect(_ total: Int?) { progress?.total = total }

    /// Notes that bytes came, after so many seconds of waiting.
    func received(_ count: Int, after seconds: Double) {
        clock.add(.network, seconds)
        clock.bytes += count
    }

    /// Writes what was held back, and how far it is.
    func flush() {
        clearProgress()
        context.output.flush()
        if let line = progress?.update(clock.bytes, now: Self.now, width: context.width) { context.errors.write(line) }
    }

    /// Writes to standard error, behind all that was printed.
    func complain(_ text: String) {
        clearProgress()
        context.output.flush()
        context.errors.write(text)
    }

    private func clearProgress() {
        if let text = progress?.clear() { context.errors.write(text) }
    }

    private func take(_ message: FeedMessage) throws {
        let arrival = context.now()
        if isTimed, message.isJSON {
            let before = Self.now
            var text = message.text
            if (try? text.withUTF8 { try decoder.check(UnsafeRawBufferPointer($0)) }) == nil { undecodable += 1 }
            clock.add(.decoder, Self.now - before)
        }
        let before = Self.now
        context.output.write(isJSON ? try document(message, arrival) : text(message, arrival))
        clock.add(.consumer, Self.now - before)
        last = arrival
        count += 1
        if let most, count >= most { throw Enough() }
        if context.output.isAbandoned { throw Enough() }
    }

    private func text(_ message: FeedMessage, _ arrival: Date) -> String {
        var line = ""
        if isTimed { line += "\(milliseconds(arrival, start)) ms  +\(milliseconds(arrival, last)) ms  " }
        if let type = message.type { line += "[\(type)] " }
        line += message.text
        // A terminal is not left to what a server sends.
        guard context.isTerminal else { return line + "\n" }
        return line.split(separator: "\n", omittingEmptySubsequences: false).map { "\(PrintableText($0))\n" }.joined()
    }

    private func document(_ message: FeedMessage, _ arrival: Date) throws -> String {
        var fields = ["\"index\":\(count)"]
        if isTimed {
            fields.append("\"arrivalMilliseconds\":\(milliseconds(arrival, start))")
            fields.append("\"gapMilliseconds\":\(milliseconds(arrival, last))")
        }
        if let type = message.type { fields.append("\"type\":\(try quoted(type))") }
        if let id = message.id { fields.append("\"id\":\(try quoted(id))") }
        fields.append("\"data\":\(try quoted(message.text))")
        return "{" + fields.joined(separator: ",") + "}\n"
    }

    private func quoted(_ text: String) throws -> String { String(decoding: try encoder.encode(text), as: UTF8.self) }

    private func milliseconds(_ date: Date, _ origin: Date) -> String {
        String(format: "%.1f", date.timeIntervalSince(origin) * 1000)
    }

    /// Says on standard error how many messages there were and, if asked, where the time went.
    func conclude(isCut: Bool) {
        let seconds = context.now().timeIntervalSince(start)
        let bad = failures + undecodable
        var text = "\(count) message\(count == 1 ? "" : "s"), \(clock.bytes) B in \(String(format: "%.3f", seconds)) s"
        if bad > 0 { text += ", \(bad) bad" }
        if isCut { text += "; the stream was cut" }
        complain(text + "\n" + (isTimed ? clock.text : ""))
    }
}
