import Foundation

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
