#if os(Linux)
import Foundation

/// What this process has of the system, as `/proc/self` counts it.
struct ProcessCounts: Sendable {
    /// Open file descriptors, but for the one that counts them.
    var descriptors: Int
    var threads: Int
    /// Threads of sessions.
    var sessionThreads: Int
    /// Bytes of memory that are in use, as pages.
    var memory: Int

    static var now: ProcessCounts {
        // What was freed goes back to the system, so that what is left is in use. Not every C library can do that.
        if let trim = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        let threads = names(in: "/proc/self/task")
        return ProcessCounts(
            descriptors: names(in: "/proc/self/fd").count - 1, threads: threads.count,
            sessionThreads: threads.filter { text("/proc/self/task/\($0)/comm").hasPrefix("weir-curl") }.count,
            memory: field(1, of: text("/proc/self/statm")) * Int(getpagesize()))
    }

    /// The most bytes of memory that were ever in use.
    static var peakMemory: Int {
        for line in text("/proc/self/status").split(separator: "\n") where line.hasPrefix("VmHWM:") {
            return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
        }
        return 0
    }

    /// Threads that the runtime may have made meanwhile for its own use.
    static let spareThreads = 4

    /// Waits until what ends by itself has ended: no session is left and, if there was a time before, all is as it was then.
    ///
    /// - Returns: The counts at last, whether or not they are back.
    static func settled(to before: ProcessCounts? = nil) async -> ProcessCounts {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let now = now
            let isBack =
                now.sessionThreads == 0 && now.descriptors <= before?.descriptors ?? .max
                && now.threads <= (before?.threads ?? 10_000) + spareThreads
            if isBack || ContinuousClock.now > deadline { return now }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func field(_ index: Int, of text: String) -> Int {
        let fields = text.split(separator: " ")
        return index < fields.count ? Int(fields[index]) ?? 0 : 0
    }
}
#endif
