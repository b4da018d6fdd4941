import Foundation
import WeirClient
import WeirModel

/// A responsiveness test over the network, after draft-ietf-ippm-responsiveness: the shell around ``QualityRun``.
struct QualityMeasurement: Sendable {
    /// Why there is no result.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    let url: URL
    let directions: [LoadConnection.Direction]
    let parameters: QualityParameters
    let most: Duration
    let session: HTTPSession.Configuration

    /// - Parameters:
    ///   - url: The configuration document's URL.
    ///   - directions: Which to measure, one after the other.
    ///   - parameters: What to go by.
    ///   - most: How long all of it may take.
    ///   - session: How connections are made.
    init(
        _ url: URL, directions: [LoadConnection.Direction] = [.download, .upload],
        parameters: QualityParameters = .init(),
        most: Duration = .seconds(40), session: HTTPSession.Configuration = .init()
    ) {
        self.url = url
        self.directions = directions
        self.parameters = parameters
        self.most = most
        var session = session
        let (seconds, _) = most.components
        // A probe that takes long says so by that, not by failing.
        session.timeoutIntervalForConnect = Double(seconds) + 1
        session.timeoutIntervalForRequest = Double(seconds) + 1
        self.session = session
    }

    /// Measures.
    ///
    /// - Parameter progress: Told of each direction's beginning and intervals.
    /// - Throws: ``Failure``, `QualityConfiguration.Problem`, `URLError`.
    func run(progress: @Sendable (LoadConnection.Direction, QualityRun) -> Void = { _, _ in }) async throws
        -> QualityResult
    {
        let clock = ContinuousClock()
        let end = clock.now + most
        // None of the parts may take what is meant for all.
        guard let configuration = try await within(end, { try await document() }) else {
            throw Failure("\(url.absoluteString) did not answer within \(most / .seconds(1)) s")
        }
        var testing = self.session
        testing.connectsTo = configuration.endpoint
        let session = testing
        let (idle, first) = try await idle(configuration, session, until: clock.now + (end - clock.now) / 8)
        var result = QualityResult(
            url: url, configuration: configuration, protocolName: first?.networkProtocolName,
            tlsVersion: first?.negotiatedTLSProtocolVersion, idle: idle)
        for (index, direction) in directions.enumerated() {
            let start = clock.now
            let share = (end - start) / (directions.count - index)
            guard share >= parameters.interval / 2 else {
                result.skipped.append(direction)
                continue
            }
            let intervals = max(1, Int(share / parameters.interval))
            let measurement = DirectionMeasurement(
                direction, configuration, parameters, mostIntervals: intervals, session: session)
            var found = try await measurement.run(until: start + share) { progress(direction, $0) }
            found.seconds = (clock.now - start) / .seconds(1)
            switch direction {
            case .download: result.download = found
            case .upload: result.upload = found
            }
        }
        return result
    }

    /// What a piece of work gives, or nil when it is not done by a time; it is cancelled then.
    private func within<Result: Sendable>(
        _ end: ContinuousClock.Instant, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(until: end, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func document() async throws -> QualityConfiguration {
        var configuration = self.session
        configuration.maximumDecodedBytes = 1 << 20
        return try await HTTPSession(unobserved: configuration).use { session in
            let (data, response) = try await session.data(for: LoadConnection.request(url))
            try LoadConnection.check(response, url)
            return try QualityConfiguration(parsing: Array(data))
        }
    }

    /// Probes without load: up to five while there is time.
    ///
    /// Where not even one is back by then, nothing is known of the idle network.
    private func idle(
        _ configuration: QualityConfiguration, _ session: HTTPSession.Configuration, until end: ContinuousClock.Instant
    ) async throws -> (Responsiveness, Transaction?) {
        var probes: [Responsiveness.Probe] = []
        var first: Transaction?
        for _ in 0..<5 where ContinuousClock.now < end {
            // The first decides what is known at all, and may take more.
            let latest = probes.isEmpty ? end + most * 3 / 8 : end
            guard let found = try await within(latest, { try await ForeignProbe.send(configuration.small, session) })
            else { break }
            guard let (probe, transaction) = found else { continue }
            probes.append(probe)
            first = first ?? transaction
        }
        return (Responsiveness(probes, share: parameters.trimmedMeanShare), first)
    }
}
