#if os(Linux)
import Foundation

/// What this process has of the system, as `/proc/self` and the C library count it.
struct ProcessCounts: Sendable {
    /// What the open file descriptors stand for, but for the one that counts them and the timers of Dispatch.
    ///
    /// Dispatch makes a timer for a clock when something first waits by it, and keeps it; neither libcurl nor a session ever makes one.
    var descriptors: [String]
    /// The names of the threads, but for the workers of Dispatch.
    var threads: [String]
    /// Workers of Dispatch: it makes and ends them as it likes, and they run what comes.
    var workers: Int
    /// Bytes of memory that are in use, as pages: with what the C library keeps of what was freed.
    var memory: Int
    /// Bytes of memory that were taken from the C library and not given back; nil where it cannot tell.
    var heap: Int?

    /// Threads of sessions.
    var sessionThreads: Int { threads.filter { $0.hasPrefix("weir-curl") }.count }

    static var now: ProcessCounts {
        // What was freed goes back to the system as far as can be. Not every C library can do that.
        if let trim = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        // The folder itself is open while it is listed, and no longer when what it lists is asked for.
        let descriptors = names(in: "/proc/self/fd").compactMap { target(of: "/proc/self/fd/\($0)") }
        let threads = names(in: "/proc/self/task").map { name in
            String(text("/proc/self/task/\(name)/comm").prefix { $0 != "\n" })
        }
        let others = threads.filter { !isWorker($0) }
        return ProcessCounts(
            descriptors: descriptors.filter { $0 != "anon_inode:[timerfd]" }, threads: others,
            workers: threads.count - others.count,
            memory: field(1, of: text("/proc/self/statm")) * Int(getpagesize()), heap: heapInUse)
    }

    /// Whether a thread is one of Dispatch's: it has the last 15 letters of the name of the queue that it works for.
    private static func isWorker(_ name: String) -> Bool {
        name.hasSuffix("-qos") || name.hasSuffix("-qos.overcommit")
    }

    /// What was taken from the C library's memory: all that it has of the system but what is free in it.
    private static var heapInUse: Int? {
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let function = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &size) else { return nil }
        _ = unsafeBitCast(function, to: (@convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32).self)(0, stream)
        fclose(stream)
        guard let text else { return nil }
        defer { free(text) }
        // The totals of all its parts come last: <total type="rest" count="835" size="24500682"/>
        var found: [Substring: Int] = [:]
        for line in String(cString: text).split(separator: "\n") {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            guard line.hasPrefix("<total") || line.hasPrefix("<system"), parts.count > 3 else { continue }
            found[parts[1]] = Int(parts[parts.count - 2])
        }
        guard let taken = found["current"], let mapped = found["mmap"], let rest = found["rest"],
            let fast = found["fast"]
        else { return nil }
        return taken + mapped - rest - fast
    }

    /// The most bytes of memory that were ever in use.
    static var peakMemory: Int {
        for line in text("/proc/self/status").split(separator: "\n") where line.hasPrefix("VmHWM:") {
            return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
        }
        return 0
    }

    /// Waits until what ends by itself has ended: no session is left and, if there was a time before, all is as it was then.
    ///
    /// - Returns: The counts at last, whether or not they are back.
    static func settled(to before: ProcessCounts? = nil) async -> ProcessCounts {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            try? await Task.sleep(for: .milliseconds(10))
            let now = now
            let isBack =
                now.sessionThreads == 0 && now.descriptors.count <= before?.descriptors.count ?? .max
                && now.threads.count <= before?.threads.count ?? .max
            if isBack || ContinuousClock.now > deadline { return now }
        }
    }

    /// What is in one list and not in the other, such as `2 of socket`.
    static func surplus(_ after: [String], over before: [String]) -> String {
        // socket:[6296276], pipe:[6296274]: the number tells nothing.
        func kinds(_ list: [String]) -> [String: Int] {
            Dictionary(list.map { ($0.hasSuffix("]") ? String($0.prefix { $0 != "[" }) : $0, 1) }, uniquingKeysWith: +)
        }
        let known = kinds(before)
        return kinds(after).compactMap { kind, count in
            count > known[kind] ?? 0 ? "\(count - (known[kind] ?? 0)) of \(kind)" : nil
        }.sorted().joined(separator: ", ")
    }

    private static func target(of link: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            let count = buffer.baseAddress.map { readlink(link, $0, buffer.count) } ?? 0
            return count > 0 ? String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self) : nil
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
