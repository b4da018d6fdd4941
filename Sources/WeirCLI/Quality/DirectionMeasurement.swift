import Foundation
import Synchronization
import WeirClient
import WeirModel

/// Runs one direction of a test: opens connections, sends probes, and tells ``QualityRun`` what they brought.
final class DirectionMeasurement: Sendable {
    /// How many probes may be under way: a network that answers none must not be sent ever more.
    private static let mostProbesUnderWay = 100

    private struct State {
        var run: QualityRun
        var connections: [LoadConnection] = []
        var probesUnderWay = 0
        /// When the probes over loaded connections were sent that are under way.
        var loadedProbes: [Int: Moment] = [:]
        var nextProbe = 0
        var failure: (any Error)?
    }

    private let direction: LoadConnection.Direction
    private let configuration: QualityConfiguration
    private let session: HTTPSession.Configuration
    private let interval: Duration
    private let state: Lock<State>

    init(
        _ direction: LoadConnection.Direction, _ configuration: QualityConfiguration, _ parameters: QualityParameters,
        mostIntervals: Int, session: HTTPSession.Configuration
    ) {
        self.direction = direction
        self.configuration = configuration
        self.session = session
        var parameters = parameters
        if direction == .upload { parameters.bytesPerConnection = 262_144 }
        interval = .seconds(parameters.intervalSeconds)
        state = Lock(State(run: QualityRun(parameters, mostIntervals: mostIntervals)))
    }

    /// Measures.
    ///
    /// - Parameters:
    ///   - end: When to end, however few intervals there were: on a busy machine they take longer than they should.
    ///   - progress: Told of each interval.
    func run(until end: ContinuousClock.Instant, progress: @Sendable (QualityRun) -> Void) async throws
        -> QualityResult.Direction
    {
        let outcome: Result<Void, any Error>
        do {
            try await withThrowingDiscardingTaskGroup { group in
                do {
                    try await schedule(in: &group, until: end, progress)
                } catch {
                    group.cancelAll()
                    throw error
                }
                group.cancelAll()
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        for connection in state.withLock({ $0.connections }) { await connection.close() }
        // What ended it, not what that cancelled.
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try outcome.get()
        return state.withLock { $0.run.result }
    }

    private func schedule(
        in group: inout ThrowingDiscardingTaskGroup<any Error>, until end: ContinuousClock.Instant,
        _ progress: @Sendable (QualityRun) -> Void
    ) async throws {
        let clock = ContinuousClock()
        var start = clock.now
        var nextProbe = start + interval / 4
        var isForeignNext = true
        var before = 0.0
        perform(state.withLock { $0.run.begin() }, in: &group)
        while true {
            try await clock.sleep(until: min(start + interval, nextProbe), tolerance: .milliseconds(1))
            if let failure = state.withLock({ $0.failure }) { throw failure }
            let now = clock.now
            if nextProbe <= now {
                sendProbe(isForeign: isForeignNext, in: &group)
                isForeignNext.toggle()
                let pairs = state.withLock { $0.run.probePairsPerSecond }
                nextProbe = max(nextProbe + .seconds(0.5 / pairs), now)
            }
            guard start + interval <= now else { continue }
            let moment = Moment.now
            let crossed = state.withLock { $0.connections }.reduce(0) { $0 + $1.crossed(at: moment) }
            let seconds = (now - start) / .seconds(1)
            let (actions, run) = state.withLock { state in
                let oldest = state.loadedProbes.values.min().map { Double(moment - $0) / 1e6 }
                let actions = state.run.endInterval(bytes: crossed - before, seconds: seconds, unanswered: oldest)
                return (actions, state.run)
            }
            before = crossed
            start = now
            progress(run)
            if actions.contains(.finish) || now >= end { return }
            perform(actions, in: &group)
        }
    }

    private func perform(_ actions: [QualityRun.Action], in group: inout ThrowingDiscardingTaskGroup<any Error>) {
        for case .open(let count) in actions {
            for _ in 0..<count {
                let connection = LoadConnection(direction, configuration, session)
                state.withLock { $0.connections.append(connection) }
                group.addTask { [self] in await guarded { try await connection.run() } }
            }
        }
    }

    private func sendProbe(isForeign: Bool, in group: inout ThrowingDiscardingTaskGroup<any Error>) {
        let target: LoadConnection? = state.withLock { state in
            isForeign ? nil : state.connections.filter(\.takesProbes).randomElement()
        }
        guard isForeign || target != nil else { return }
        let number: Int? = state.withLock { state in
            guard state.probesUnderWay < Self.mostProbesUnderWay else { return nil }
            state.probesUnderWay += 1
            state.nextProbe += 1
            if !isForeign {
                state.loadedProbes[state.nextProbe] = .now
                state.run.sentLoadedProbe()
            }
            return state.nextProbe
        }
        guard let number else { return }
        group.addTask { [self] in
            await guarded { [self] in
                let probe: Responsiveness.Probe?
                if let target {
                    probe = try await target.probe()
                } else {
                    probe = try await ForeignProbe.send(configuration.small, session)?.probe
                }
                if let probe { state.withLock { $0.run.take(probe) } }
            }
            state.withLock { state in
                state.probesUnderWay -= 1
                state.loadedProbes[number] = nil
            }
        }
    }

    /// Does something whose failure ends the test, unless the end of the test is what made it fail.
    private func guarded(_ body: @Sendable () async throws -> Void) async {
        do {
            try await body()
        } catch {
            if Task.isCancelled { return }
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }
}
