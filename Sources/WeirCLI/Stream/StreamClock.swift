/// Where the time of a stream goes: to the network, the parser, a decoder, and the consumer, which prints.
struct StreamClock: Sendable {
    enum Stage: String, CaseIterable, Sendable {
        case network
        case parser
        case decoder
        case consumer
    }

    private(set) var seconds: [Stage: Double] = [:]
    /// Bytes that went through all stages.
    var bytes = 0

    mutating func add(_ stage: Stage, _ duration: Double) { seconds[stage, default: 0] += max(duration, 0) }

    /// The stages that took time, with their rates in bytes per second, the slowest first.
    var rates: [(stage: Stage, rate: Double)] {
        Stage.allCases.compactMap { stage in
            guard bytes > 0, let time = seconds[stage], time > 0 else { return nil }
            return (stage, Double(bytes) / time)
        }
        .sorted { $0.rate < $1.rate }
    }

    /// A sentence for each stage, and one that names the slowest.
    var text: String {
        var lines = rates.map { "\($0.stage.rawValue): \(Self.text($0.rate))" }
        if let slowest = rates.first {
            lines.append("the slowest stage is the \(slowest.stage.rawValue); no stream is faster than that")
        }
        #if DEBUG
        lines.append("this is a debug build, in which parser and decoder are many times slower")
        #endif
        return lines.map { "  \($0)\n" }.joined()
    }

    static func text(_ rate: Double) -> String {
        switch rate {
        case 1e9...: "\((rate / 1e7).rounded() / 100) GB/s"
        case 1e6...: "\((rate / 1e4).rounded() / 100) MB/s"
        default: "\((rate / 10).rounded() / 100) kB/s"
        }
    }
}
