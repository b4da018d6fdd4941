import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import WeirClient
import WeirCoding
import WeirMetrics
import WeirModel

/// The task of an exporter: does what its machine says, one command after the other.
actor OTLPWorker {
    /// What the exporter asks for, and what comes back from its requests.
    enum Command: Sendable {
        case snapshot(MetricsSnapshot)
        case turn(isOn: Bool)
        case networkChanged
        case flush(CheckedContinuation<Void, Never>)
        case finished(OTLPMachine.Outcome)
        case elapsed
    }

    private let endpoint: URL
    private var queue: OTLPQueue
    private let document: OTLPDocument
    private let options: OTLPExporter.Options
    private let commands: AsyncStream<Command>.Continuation
    private let observe: @Sendable (OTLPExporter.Event) -> Void
    private let session: HTTPSession
    private let clock = ContinuousClock()
    private let origin: ContinuousClock.Instant
    private var machine: OTLPMachine
    private var timer: Task<Void, Never>?
    private var request: Task<Void, Never>?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(
        endpoint: URL, queue: OTLPQueue, document: OTLPDocument, options: OTLPExporter.Options,
        commands: AsyncStream<Command>.Continuation, observe: @escaping @Sendable (OTLPExporter.Event) -> Void
    ) {
        self.endpoint = endpoint
        self.queue = queue
        self.document = document
        self.options = options
        self.commands = commands
        self.observe = observe
        machine = OTLPMachine(options.policy)
        origin = clock.now
        session = HTTPSession(unobserved: Self.configuration(options))
    }

    /// How requests to the collector are made.
    static func configuration(_ options: OTLPExporter.Options) -> HTTPSession.Configuration {
        var configuration = options.session
        configuration.allowsExpensiveNetworkAccess = options.allowsExpensiveNetwork
        configuration.allowsConstrainedNetworkAccess = options.allowsConstrainedNetwork
        configuration.timeoutIntervalForResource = options.timeout
        configuration.maximumDecodedBytes = Int64(OTLPExporter.responseLimit)
        // A redirect would turn the request into another one; the endpoint is to be given as it is.
        configuration.redirects = .deliver
        configuration.httpMaximumConnectionsPerHost = 1
        return configuration
    }

    /// Works until the exporter is gone.
    func run(_ stream: AsyncStream<Command>) async {
        follow(machine.allowNetwork(options.mayUseNetwork()))
        if queue.count > 0 { follow(machine.added(count: queue.count)) }
        for await command in stream {
            take(command)
            resumeIfSettled()
        }
        timer?.cancel()
        request?.cancel()
        session.invalidate()
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    private func take(_ command: Command) {
        switch command {
        case .snapshot(let snapshot): if !snapshot.isEmpty { add(snapshot) }
        case .turn(let isOn): follow(machine.turn(isOn: isOn))
        case .networkChanged: follow(machine.allowNetwork(options.mayUseNetwork()))
        case .flush(let continuation):
            follow(machine.allowNetwork(options.mayUseNetwork()))
            waiting.append(continuation)
        case .finished(let outcome):
            request = nil
            let actions = machine.allowNetwork(options.mayUseNetwork())
            follow(machine.finished(outcome, now: now, random: .random(in: 0...1)) + actions)
        case .elapsed: follow(machine.allowNetwork(options.mayUseNetwork()) + machine.elapsed(now: now))
        }
    }

    private func resumeIfSettled() {
        guard machine.isSettled, !waiting.isEmpty else { return }
        let settled = waiting
        waiting = []
        for continuation in settled { continuation.resume() }
    }

    private var now: Duration { origin.duration(to: clock.now) }

    private func add(_ snapshot: MetricsSnapshot) {
        guard machine.isAccepting else { return }
        for part in document.resourceMetrics(snapshot, seriesPerPart: options.seriesPerRequest) {
            do {
                let removed = try queue.add(part)
                if removed.removed > 0 || removed.bytes > 0 {
                    follow(machine.overflowed(count: removed.removed))
                }
                if removed.removed > 0 || removed.bytes == 0 { follow(machine.added(count: 1)) }
            } catch {
                observe(.dropped(requests: 1, reason: .storage("\(error)")))
            }
        }
    }

    private func follow(_ actions: [OTLPMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let count): send(count)
            case .wait(let until):
                timer?.cancel()
                timer = Task { [commands, clock, origin] in
                    try? await clock.sleep(until: origin + until)
                    if !Task.isCancelled { commands.yield(.elapsed) }
                }
            case .remove(let count): queue.remove(count: count)
            case .removeAll: queue.remove(count: queue.count)
            case .report(let event): observe(event)
            }
        }
    }

    private func send(_ count: Int) {
        let parts = queue.first(count).filter { !$0.isEmpty }
        let body = OTLPDocument.request(of: parts)
        request = Task { [session, commands, endpoint, options] in
            commands.yield(.finished(await Self.post(body, to: endpoint, options, session)))
        }
    }

    private static func post(
        _ body: [UInt8], to endpoint: URL, _ options: OTLPExporter.Options, _ session: HTTPSession
    ) async -> OTLPMachine.Outcome {
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        for (name, value) in options.headers { request.setValue(value, forHTTPHeaderField: name) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        var content = body
        if options.isCompressed, let packed = try? compressed(body) {
            content = packed
            request.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
        }
        do {
            let (data, response) = try await session.upload(for: request, from: Data(content))
            let delay = response.value(forHTTPHeaderField: "Retry-After").flatMap {
                RetryAfter.duration($0, now: Date().timeIntervalSince1970)
            }
            let told = OTLPResponse.read(data)
            return .response(
                status: response.statusCode, retryAfter: delay, rejected: told.rejected, message: told.message)
        } catch {
            return .noResponse((error as? URLError).map { "URLError \($0.code.rawValue)" } ?? "\(type(of: error))")
        }
    }

    private static func compressed(_ body: [UInt8]) throws -> [UInt8] {
        try body.withUnsafeBytes { try ContentEncoder(.gzip).encode($0, flush: .finish) }
    }
}
