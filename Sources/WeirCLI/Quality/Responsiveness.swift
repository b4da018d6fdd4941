/// What probes say about how quickly a network answers.
struct Responsiveness: Sendable, Hashable {
    /// One probe's times in milliseconds.
    enum Probe: Sendable, Hashable {
        /// Over a connection of its own: the TCP handshake, a round trip of the TLS handshake, and the exchange.
        ///
        /// What did not take place, or could not be seen, is nil.
        case foreign(tcp: Double?, tls: Double?, http: Double)
        /// An exchange over a load-generating connection.
        case loaded(http: Double)
    }

    /// The trimmed mean of the TCP handshakes of connections of their own, in milliseconds.
    private(set) var tcp: Double?
    /// That of a round trip of their TLS handshakes.
    private(set) var tls: Double?
    /// That of their exchanges.
    private(set) var http: Double?
    /// That of the exchanges over load-generating connections.
    private(set) var loadedHTTP: Double?
    /// How many probes it is from.
    private(set) var foreignProbes = 0
    private(set) var loadedProbes = 0
    /// Whether no probe over a loaded connection came back, so that ``loadedHTTP`` is only how long one has waited.
    private(set) var isLoadedUnanswered = false

    /// Sums up probes.
    ///
    /// - Parameters:
    ///   - probes: The probes.
    ///   - share: The part of them, the quickest, of which the means are.
    init(_ probes: some Sequence<Probe>, share: Double) {
        var times: (tcp: [Double], tls: [Double], http: [Double], loaded: [Double]) = ([], [], [], [])
        for probe in probes {
            switch probe {
            case .foreign(let tcp, let tls, let http):
                foreignProbes += 1
                if let tcp { times.tcp.append(tcp) }
                if let tls { times.tls.append(tls) }
                times.http.append(http)
            case .loaded(let http):
                loadedProbes += 1
                times.loaded.append(http)
            }
        }
        tcp = Self.trimmedMean(times.tcp, share: share)
        tls = Self.trimmedMean(times.tls, share: share)
        http = Self.trimmedMean(times.http, share: share)
        loadedHTTP = Self.trimmedMean(times.loaded, share: share)
    }

    /// Takes how long a probe over a loaded connection has waited without an answer, where none was answered.
    mutating func noteUnanswered(for milliseconds: Double) {
        guard loadedProbes == 0 else { return }
        loadedHTTP = milliseconds
        isLoadedUnanswered = true
    }

    /// The mean of the smallest values, those up to the percentile by nearest rank; nil of none.
    static func trimmedMean(_ values: [Double], share: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        let kept = min(values.count, max(1, Int((Double(values.count) * share).rounded(.up))))
        return values.sorted().prefix(kept).reduce(0, +) / Double(kept)
    }

    /// Round trips a minute of connections of their own: what is known of TCP, TLS and HTTP counts equally.
    ///
    /// Without TLS it is of the other two; a zero in its place would flatter.
    var foreign: Double? {
        guard let http else { return nil }
        let times = [tcp, tls, http].compactMap { $0 }
        return Self.perMinute(times.reduce(0, +) / Double(times.count))
    }

    /// Round trips a minute over load-generating connections.
    var loaded: Double? { loadedHTTP.flatMap(Self.perMinute) }

    /// Both together, each counting equally.
    ///
    /// Where one is unknown, it is the other; nil where nothing is known.
    var combined: Double? {
        guard let foreign, let loaded else { return foreign ?? loaded }
        return (foreign + loaded) / 2
    }

    private static func perMinute(_ milliseconds: Double) -> Double? {
        milliseconds > 0 && milliseconds.isFinite ? 60_000 / milliseconds : nil
    }
}

extension Responsiveness {
    /// The draft's words for figures.
    enum Rating: String, Sendable, Hashable {
        case poor, fair, good, excellent

        /// The word for round trips a minute.
        init(_ perMinute: Double) {
            self = perMinute < 300 ? .poor : perMinute < 1000 ? .fair : perMinute < 6000 ? .good : .excellent
        }
    }
}
