/// When to connect, to wait and to give up: an event source without its input and output.
///
/// Time is given in, as durations from any one moment, and so is chance. Each method says what to do next.
struct EventSourceMachine {
    /// What the machine goes by.
    struct Settings {
        var retry: Duration
        var maximumJitter: Duration
        var healthyPeriod: Duration
        var maximumAttempts: Int?
        var reconnects: Bool
    }

    /// Where the machine is.
    enum Phase: Equatable {
        case connecting
        case open(since: Duration)
        case waiting(until: Duration)
        case closed
    }

    /// What to do next.
    enum Action {
        case connect(attempt: Int)
        case read
        case wait(until: Duration)
        /// Read the beginning of the body, then fail with it.
        case reject(Rejection)
        case finish
        case fail(any Error)
    }

    /// Why a response is no stream of events.
    enum Rejection: Equatable {
        case status
        case contentType
    }

    /// Longer waits are cut to a day.
    private static let longest = Duration.seconds(86_400)

    private let settings: Settings
    private(set) var phase = Phase.closed
    /// Connections so far.
    private(set) var attempts = 0
    /// Attempts in a row that have failed.
    private(set) var failures = 0
    private var retry: Duration

    init(_ settings: Settings) {
        self.settings = settings
        retry = min(settings.retry, Self.longest)
    }

    /// Begins, or goes on after a wait.
    mutating func connect() -> Action {
        attempts += 1
        phase = .connecting
        return .connect(attempt: attempts)
    }

    /// The response's head has come.
    ///
    /// - Parameters:
    ///   - isEventStream: Whether its content type is accepted.
    ///   - retryAfter: The wait that it asks for.
    mutating func responded(
        status: Int, isEventStream: Bool, retryAfter: Duration?, at now: Duration, random: () -> Double
    ) -> Action {
        switch status {
        case 200 where isEventStream:
            phase = .open(since: now)
            return .read
        case 200: return close(.reject(.contentType))
        case 204: return close(.finish)
        case 429, 500...599:
            return failed(EventSourceUnavailable(status: status), retryAfter: retryAfter, at: now, random: random)
        default: return close(.reject(.status))
        }
    }

    /// The stream has brought an event.
    mutating func received() { failures = 0 }

    /// The stream has named its reconnection time, in milliseconds.
    mutating func named(retry milliseconds: Int) {
        retry = min(.milliseconds(min(milliseconds, 86_400_000)), Self.longest)
    }

    /// The stream has said that it ends for good.
    mutating func ended() -> Action { close(.finish) }

    /// The stream is over, or the attempt has failed.
    ///
    /// - Parameter error: Why; nil when the stream ended in good order.
    mutating func disconnected(_ error: (any Error)?, at now: Duration, random: () -> Double) -> Action {
        guard settings.reconnects else { return close(error.map { .fail($0) } ?? .finish) }
        if case .open(let since) = phase, now - since >= settings.healthyPeriod { failures = 0 }
        return failed(error ?? EndOfStream(), retryAfter: nil, at: now, random: random)
    }

    /// Nobody reads any more, or an error that no new attempt helps.
    mutating func stopped(_ error: (any Error)?) -> Action { close(error.map { .fail($0) } ?? .finish) }

    /// The stream ended in good order, again and again without an event.
    struct EndOfStream: Error, CustomStringConvertible {
        var description: String { "The stream ended without an event." }
    }

    private mutating func failed(
        _ error: any Error, retryAfter: Duration?, at now: Duration, random: () -> Double
    ) -> Action {
        failures += 1
        guard settings.reconnects else { return close(.fail(error)) }
        if let most = settings.maximumAttempts, failures >= most {
            return close(.fail(EventSourceError.attemptsExhausted(failures, last: error)))
        }
        let wait = max(delay(random), min(retryAfter ?? .zero, Self.longest))
        phase = .waiting(until: now + wait)
        return .wait(until: now + wait)
    }

    /// `retry + random(0, min(cap, retry * (2^(n-1) - 1)))`: the first wait is exactly what the server asks for, and later ones keep
    /// many clients from coming back together.
    private func delay(_ random: () -> Double) -> Duration {
        let doublings = min(failures - 1, 30)
        let spread = min(settings.maximumJitter, retry * ((1 << doublings) - 1))
        return spread > .zero ? retry + spread * min(max(random(), 0), 1) : retry
    }

    private mutating func close(_ action: Action) -> Action {
        phase = .closed
        return action
    }
}
