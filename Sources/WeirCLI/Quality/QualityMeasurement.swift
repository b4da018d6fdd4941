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
        let configuration = try await document()
        let (idle, first) = try await idle(configuration, until: clock.now + most / 8)
        var result = QualityResult(
            url: url, configuration: configuration, protocolName: first?.networkProtocolName,
            tlsVersion: first?.negotiatedTLSProtocolVersion, idle: idle)
        for (index, direction) in directions.enumerated() {
            let start = clock.now
            let share = (end - start) / (directions.count - index)
            let intervals = max(1, Int(share / parameters.interval))
            let measurement = DirectionMeasurement(
                direction, configuration, parameters, mostIntervals: intervals, session: session)
            var found = try await measurement.run { progress(direction, $0) }
            found.seconds = (clock.now - start) / .seconds(1)
            switch direction {
            case .download: result.download = found
            case .upload: result.upload = found
            }
        }
        return result
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

    /// Probes without load: one, and up to four more while there is time.
    private func idle(
        _ configuration: QualityConfiguration, until end: ContinuousClock.Instant
    ) async throws -> (Responsiveness, Transaction?) {
        var probes: [Responsiveness.Probe] = []
        var first: Transaction?
        for index in 0..<5 where index == 0 || ContinuousClock.now < end {
            guard let (probe, transaction) = try await ForeignProbe.send(configuration.small, session) else { continue }
            probes.append(probe)
            first = first ?? transaction
        }
        return (Responsiveness(probes, share: parameters.trimmedMeanShare), first)
    }
}
