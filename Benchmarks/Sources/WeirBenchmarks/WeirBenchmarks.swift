import Foundation

/// Measures one thing and prints one line of JSON; `Scripts/bench` compares the lines and makes a table of them.
@main
enum WeirBenchmarks {
    private static let usage = """
        usage: WeirBenchmarks session URL COUNT IN-FLIGHT audit|alone    COUNT GETs through a session
               WeirBenchmarks http2 URL COUNT IN-FLIGHT audit|alone CA   the same over HTTP/2 on one connection
               WeirBenchmarks download URL BYTES audit|alone             one large body, chunk by chunk
               WeirBenchmarks serve                                      a LocalServer, until it is killed
               WeirBenchmarks audit COUNT                                a report on COUNT records
               WeirBenchmarks start COUNT                                start and stop of a server, COUNT times
               WeirBenchmarks idle SECONDS                               the processor time of an idle server
               WeirBenchmarks files FOLDER                               writes the files of the next one
               WeirBenchmarks stream SHAPE FOLDER                        a parser over a file in memory
               WeirBenchmarks loopback SHAPE any|main FOLDER             a session's bytes as messages, on any or the main actor
               WeirBenchmarks decode flat|nested ours|foundation FOLDER  records of NDJSON as values of a type
               WeirBenchmarks memory ndjson|array                        the memory of a parser over 10 and 2 GB
               WeirBenchmarks metrics COUNT                              a recorder over COUNT records, alone
               WeirBenchmarks threads COUNT                              a recorder from COUNT threads
               WeirBenchmarks metrics-memory                             a recorder's memory after a minute and an hour
               WeirBenchmarks sketch FILE                                the percentiles of doubles in a file
               WeirBenchmarks delay COUNT IN-FLIGHT                      the lateness of COUNT delayed answers
               WeirBenchmarks link ROUNDS                                transfers over simulated links against a formula
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            guard let measurement = try await run(arguments) else {
                complain(usage)
                exit(2)
            }
            print(measurement.line)
        } catch {
            complain("WeirBenchmarks: \(error)")
            exit(1)
        }
    }

    /// Runs what the arguments ask for; nil when they ask for nothing that there is.
    @concurrent
    private static func run(_ arguments: [String]) async throws -> Measurement? {
        let numbers = arguments.map { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        switch (arguments.first, arguments.count) {
        case ("session", 5):
            guard let url = URL(string: arguments[1]), let count = numbers[2], let inFlight = numbers[3],
                let observer = SessionBenchmark.Observer(rawValue: arguments[4])
            else { return nil }
            return try await SessionBenchmark(url: url, count: count, inFlight: inFlight, observer: observer).run()
        case ("http2", 6):
            guard let url = URL(string: arguments[1]), let count = numbers[2], let inFlight = numbers[3],
                let observer = SessionBenchmark.Observer(rawValue: arguments[4])
            else { return nil }
            return try await SessionBenchmark(
                url: url, count: count, inFlight: inFlight, observer: observer,
                authority: Data(contentsOf: URL(filePath: arguments[5]))
            ).run()
        case ("download", 4):
            guard let url = URL(string: arguments[1]), let bytes = numbers[2],
                let observer = SessionBenchmark.Observer(rawValue: arguments[3])
            else { return nil }
            return try await DownloadBenchmark.run(url, bytes: bytes, observer: observer)
        case ("serve", 1): return try await ServerBenchmark.serve()
        case ("audit", 2): return try numbers[1].map(AuditBenchmark.run)
        case ("start", 2):
            guard let count = numbers[1] else { return nil }
            return try await ServerBenchmark.start(count)
        case ("idle", 2):
            guard let seconds = numbers[1] else { return nil }
            return try await ServerBenchmark.idle(seconds: seconds)
        case ("files", 2): return try StreamBenchmark.writeFiles(to: arguments[1])
        case ("stream", 3):
            guard let shape = StreamBenchmark.Shape(rawValue: arguments[1]) else { return nil }
            return try StreamBenchmark.run(shape, folder: arguments[2])
        case ("loopback", 4):
            guard let shape = StreamBenchmark.Shape(rawValue: arguments[1]) else { return nil }
            return try await StreamBenchmark.loopback(shape, isMain: arguments[2] == "main", folder: arguments[3])
        case ("decode", 4):
            guard let records = StreamBenchmark.Records(rawValue: arguments[1]) else { return nil }
            return try StreamBenchmark.decode(
                records, isFoundation: arguments[2] == "foundation", folder: arguments[3])
        case ("memory", 2): return StreamBenchmark.memory(arguments[1])
        case ("metrics", 2): return try numbers[1].map(MetricsBenchmark.cost)
        case ("threads", 2): return try numbers[1].map(MetricsBenchmark.threads)
        case ("metrics-memory", 1): return try MetricsBenchmark.memory()
        case ("sketch", 2): return try MetricsBenchmark.sketch(arguments[1])
        case ("delay", 3):
            guard let count = numbers[1], let inFlight = numbers[2] else { return nil }
            return try await DelayBenchmark(count: count, inFlight: inFlight).run()
        case ("link", 2):
            guard let rounds = numbers[1] else { return nil }
            return try await LinkBenchmark(rounds: rounds).run()
        default: return nil
        }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

/// Why a measurement means nothing.
struct Invalid: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
