/// When a unit of work has come to rest: nothing has been in flight for a while.
///
/// Streams (tasks that ask for server-sent events) and requests to the ignored routes do not count: they stay open, or
/// come again and again, whatever the screen does.
public struct Settling: Sendable, Hashable {
    /// How long nothing must have been in flight; zero for the end of the last request.
    public var quiet: Duration
    /// After so long the unit ends whatever is still open.
    public var limit: Duration
    /// Routes that do not count, such as that of a known poll.
    public var ignored: [RouteTemplate]

    /// Makes a rule.
    ///
    /// - Parameters:
    ///   - quiet: How long nothing must have been in flight.
    ///   - limit: How long to wait at most.
    ///   - ignored: Routes whose requests do not count, such as `events/poll` (see ``RouteTemplate``).
    public init(quiet: Duration = .zero, limit: Duration = .seconds(5), ignoring ignored: [String] = []) {
        self.quiet = quiet
        self.limit = limit
        self.ignored = ignored.map(RouteTemplate.init)
    }

    /// The end of the last request that counts, or the limit.
    public static func within(_ limit: Duration) -> Self { Self(limit: limit) }

    /// Some time without a request that counts, or the limit.
    public static func quiet(
        _ quiet: Duration, within limit: Duration = .seconds(5), ignoring ignored: [String] = []
    ) -> Self {
        Self(quiet: quiet, limit: limit, ignoring: ignored)
    }

    /// Whether the unit waits for a task.
    package func counts(_ task: TaskRecord.Start) -> Bool {
        !task.isStream && !ignored.contains { $0.matches(path: task.url.path) }
    }

    /// Whether a task that is done has to be waited for again after it.
    package func counts(_ record: TaskRecord) -> Bool {
        guard let first = record.transactions.first else { return true }
        let isStream = record.transactions.contains { transaction in
            transaction.response?.headerFields.contains { field in
                field.name.lowercased() == "content-type" && field.value.lowercased().hasPrefix("text/event-stream")
            } ?? false
        }
        return !isStream && !ignored.contains { $0.matches(path: first.request.url.path) }
    }
}

extension Settling {
    /// Decides, from what is in flight at some moments, when a unit of work has come to rest.
    ///
    /// Times are durations since the waiting began, of whatever clock.
    package struct Watch: Sendable {
        /// What to do next.
        package enum Step: Sendable, Hashable {
            /// Nothing has been in flight for long enough.
            case settled
            /// The limit has passed.
            case gaveUp
            /// Look again when something changes, at this time at the latest.
            case wait(until: Duration)
        }

        private enum State {
            case busy
            case quiet(since: Duration)
        }

        private let rule: Settling
        private var state = State.busy

        package init(_ rule: Settling) { self.rule = rule }

        /// Takes a look.
        ///
        /// - Parameters:
        ///   - open: How many tasks that count are in flight.
        ///   - hasMoved: Whether any that counts began or ended since the last look.
        ///   - now: The time of the look, not before that of the last one.
        package mutating func look(open: Int, hasMoved: Bool, at now: Duration) -> Step {
            let isOver = now >= rule.limit
            guard open == 0 else {
                state = .busy
                return isOver ? .gaveUp : .wait(until: rule.limit)
            }
            let since: Duration
            if case .quiet(let earlier) = state, !hasMoved { since = earlier } else { since = now }
            state = .quiet(since: since)
            if now - since >= rule.quiet { return .settled }
            return isOver ? .gaveUp : .wait(until: min(since + rule.quiet, rule.limit))
        }
    }
}
