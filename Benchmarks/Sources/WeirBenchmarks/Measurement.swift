import Foundation

/// What was measured: a name and numbers, in the order in which they are printed.
struct Measurement {
    var shape: String
    var numbers: [(name: String, value: Double)]

    init(_ shape: String, _ numbers: KeyValuePairs<String, Double>) {
        self.shape = shape
        self.numbers = numbers.map { ($0.key, $0.value) }
    }

    /// One line of JSON.
    ///
    /// Numbers are written without exponents, so that the simplest tools can read them.
    var line: String {
        let fields = numbers.map { number in
            let isWhole = number.value == number.value.rounded() && abs(number.value) < 1e15
            return "\"\(number.name)\":" + String(format: isWhole ? "%.0f" : "%.9f", number.value)
        }
        return "{" + (["\"shape\":\"\(shape)\""] + fields).joined(separator: ",") + "}"
    }
}

/// Wall time and processor time of this process, in seconds.
struct Stopwatch {
    private let wall = ContinuousClock.now
    private let processor = Self.processorTime

    var elapsed: (wall: Double, processor: Double) {
        (wall.duration(to: .now).seconds, Self.processorTime - processor)
    }

    /// The processor time of this thread so far.
    static var threadTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time of all threads so far, to the nanosecond where the system counts them.
    static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The memory of this process.
enum Memory {
    /// The most bytes that were ever in use.
    static var peak: Int {
        var usage = rusage()
        // Of this process; the name of 0 has another type on Linux than the parameter.
        getrusage(0, &usage)
        #if canImport(Darwin)
        return Int(usage.ru_maxrss)
        #else
        return Int(usage.ru_maxrss) * 1024
        #endif
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension [Double] {
    /// The percentile by nearest rank, `x(ceil(p*n))`; zero of nothing.
    func percentile(_ p: Double) -> Double {
        guard !isEmpty else { return 0 }
        let rank = Int((p * Double(count)).rounded(.up))
        return sorted()[Swift.min(Swift.max(rank, 1), count) - 1]
    }
}
