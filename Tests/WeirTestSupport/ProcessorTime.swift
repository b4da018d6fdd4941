import Foundation
package import Testing

/// What the calling thread computes for while some work runs, in seconds: what else the machine does is not in it.
package func processorTime(_ work: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
    let start = now()
    try work()
    return now() - start
}

/// Expects that eight times as much to do takes some eight times as long: what is quadratic takes 64 times as long.
///
/// Only what is too slow five times in a row is too slow, since a machine may be busy with other things.
package func expectLinearTime(
    of few: Int, and many: Int, at location: SourceLocation = #_sourceLocation, _ time: (Int) throws -> Double
) rethrows {
    var seen: [String] = []
    for _ in 0..<5 {
        let (small, large) = (try time(few), try time(many))
        if large < 28 * small + 0.01 { return }
        seen.append("\(small) \(large)")
    }
    Issue.record("\(many) takes too long beside \(few): \(seen)", sourceLocation: location)
}
