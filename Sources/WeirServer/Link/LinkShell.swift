import WeirModel

/// A server's link on its event thread: the pacer, and when it wants to be looked at.
final class LinkShell {
    /// How long the thread sleeps at least between two looks while much is going on: a fast link has room for a segment
    /// every few microseconds, and the times inside of the pacer are exact however late it is looked at.
    private static let leastPause: Int64 = 100_000

    var pacer: LinkPacer
    private var lastLook = Moment(nanoseconds: 0)

    init(_ profile: LinkProfile, seed: UInt64, now: Moment) {
        pacer = LinkPacer(profile, seed: seed, now: now)
    }

    /// When to call ``look(now:news:)``; nil for never.
    var wake: Moment? {
        if pacer.hasNews { return lastLook }
        return pacer.next.map { max($0, lastLook + Self.leastPause) }
    }

    /// Does what is due, and tells which connections have something to do.
    func look(now: Moment, news: inout [UInt64]) {
        if let next = pacer.next, next <= now {
            lastLook = now
            pacer.advance(to: now)
        }
        pacer.takeNews(into: &news)
    }
}
