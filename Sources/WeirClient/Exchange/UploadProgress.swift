package import WeirModel

/// How much of an upload has crossed the network, told from when its sender takes more bytes.
///
/// A sender takes bytes into buffers, of the program, the kernel and the devices, and then more as these empty. So what it takes
/// before it first pauses is in buffers and has not crossed; each step after that shows that as much has crossed since the step
/// before. Between two steps the rate of the last one is assumed to go on. A sender that does not pause within a quarter of a
/// second has buffers that are small beside the rate, and what it took counts.
package struct UploadProgress: Sendable, Hashable {
    /// A pause that ends a step, in nanoseconds.
    private static let pause: Int64 = 10_000_000
    /// A pause that ends the first step: a longer one, since a busy machine stops in between while buffers still fill.
    private static let firstPause: Int64 = 50_000_000
    /// How long bytes come without a pause until buffers do not matter.
    private static let flowing: Int64 = 250_000_000

    /// Bytes taken.
    package private(set) var total = 0
    /// Bytes of the steps that were before the one under way, without those that only filled buffers.
    private var before = 0.0
    /// Bytes of the step under way.
    private var step = 0
    private var stepStart: Moment?
    private var lastTake: Moment?
    /// Whether the first step is over, so that steps show what has crossed.
    private var isFilled = false
    /// When the step before it began.
    private var previousStart: Moment?
    private var size = 4096

    package init() {}

    /// The size of the piece to hand out next: small for a slow sender, so that steps stay small; large for a fast one.
    package mutating func nextSize(at now: Moment) -> Int {
        guard let lastTake else { return size }
        let gap = now - lastTake
        if gap < 1_000_000 { size = min(size * 2, 65_536) } else if gap > Self.pause { size = 4096 }
        return size
    }

    /// Takes note that the sender took bytes.
    package mutating func take(_ bytes: Int, at now: Moment) {
        total += bytes
        defer { lastTake = max(now, lastTake ?? now) }
        guard let start = stepStart, let last = lastTake else {
            stepStart = now
            step = bytes
            return
        }
        guard now - last >= (isFilled ? Self.pause : Self.firstPause) else {
            step += bytes
            return
        }
        if isFilled || last - start >= Self.flowing {
            before += Double(step)
        }
        isFilled = true
        previousStart = start
        step = bytes
        stepStart = now
    }

    /// Bytes that have crossed by a time.
    package func crossed(at now: Moment) -> Double {
        guard let start = stepStart, let last = lastTake else { return 0 }
        guard isFilled else {
            // Still the first step.
            return last - start >= Self.flowing ? Double(total) : 0
        }
        if last - start >= Self.flowing { return before + Double(step) }
        // Room for this step was made since the one before began; what has left since then is not seen until the next.
        let span = start - (previousStart ?? start)
        let rate = span > 0 ? Double(step) / Double(span) : 0
        return before + Double(step) + min(Double(max(0, now - start)) * rate, Double(step))
    }
}
