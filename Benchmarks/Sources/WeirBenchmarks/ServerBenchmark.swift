import Foundation
import WeirServer

/// What a `LocalServer` costs: to start and stop, and to have.
enum ServerBenchmark {
    /// As long as the body of the nginx that it is compared with.
    private static let body = "twenty bytes of body"

    /// Serves until the process is killed; says where first.
    static func serve() async throws -> Measurement? {
        let server = try await LocalServer.start { _ in .text(body) }
        print("{\"shape\":\"serve\",\"url\":\"\(server.baseURL.absoluteString)/\"}")
        fflush(nil)
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
        server.stop()
        return nil
    }

    static func start(_ count: Int) async throws -> Measurement {
        var times: [Double] = []
        for _ in 0..<count {
            let stopwatch = Stopwatch()
            let server = try await LocalServer.start { _ in .text(body) }
            server.stop()
            times.append(stopwatch.elapsed.wall)
        }
        return Measurement(
            "start",
            [
                "count": Double(count), "median": times.percentile(0.5), "least": times.min() ?? 0,
                "most": times.max() ?? 0,
            ])
    }

    /// The processor time of a server that has answered a request and waits for the next.
    static func idle(seconds: Int) async throws -> Measurement {
        let server = try await LocalServer.start { _ in .text(body) }
        defer { server.stop() }
        let connection = try IdleConnection(port: server.port)
        guard try connection.exchange() > 0 else { throw Invalid("the server did not answer") }
        // What the answer set off elsewhere, the client's side for one, is over soon.
        usleep(200_000)
        let before = ThreadTimes.read()
        let stopwatch = Stopwatch()
        for _ in 0..<seconds { usleep(1_000_000) }
        let processor = stopwatch.elapsed.processor
        let after = ThreadTimes.read()
        guard let thread = ThreadTimes.difference(before, after, ofThread: "weir-server") else {
            // Where single threads cannot be looked at, the process's time includes this thread's waiting.
            return Measurement("idle", ["seconds": Double(seconds), "processor": processor])
        }
        return Measurement("idle", ["seconds": Double(seconds), "processor": processor, "thread": thread])
    }
}

/// The processor times of this process's threads in seconds, where the system tells them.
private enum ThreadTimes {
    static func read() -> [String: (name: String, time: Double)] {
        let folder = "/proc/self/task"
        var result: [String: (name: String, time: Double)] = [:]
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8),
                let times = try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8),
                let nanoseconds = times.split(separator: " ").first.flatMap({ Double($0) })
            else { continue }
            result[thread] = (name.trimmingCharacters(in: .whitespacesAndNewlines), nanoseconds / 1e9)
        }
        return result
    }

    /// The time that the threads of that name took; nil when there is none.
    static func difference(
        _ before: [String: (name: String, time: Double)], _ after: [String: (name: String, time: Double)],
        ofThread name: String
    ) -> Double? {
        let found = after.filter { $0.value.name == name }
        guard !found.isEmpty else { return nil }
        return found.reduce(0) { $0 + $1.value.time - (before[$1.key]?.time ?? 0) }
    }
}
