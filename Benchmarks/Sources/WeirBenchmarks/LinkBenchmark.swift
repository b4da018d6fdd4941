import Foundation
import Synchronization
import Weir
import WeirServer

/// How true a simulated link is: the time of real transfers through it against what a formula says.
///
/// Each case downloads one body over each of some new connections at once. Cold plain TCP, the request and the answer's
/// heads with it:
///
///     wall = 2 R + c q / u + c (b + h) / d + sum over rounds i of max(0, R + s / d - c w 2^i / d)
///
/// with the round trip R, c connections, q bytes of request at the rate u, bodies of b and heads of h bytes at the rate d,
/// segments of s bytes, and the window w of 14 600 bytes at the start, for as many rounds as begin before the body's end.
struct LinkBenchmark {
    struct Case {
        var roundTrip: Int
        var kilobits: Double
        var body: Int
        var connections: Int
    }

    static let cases: [Case] = [
        Case(roundTrip: 20, kilobits: 2_000, body: 2_000, connections: 1),
        Case(roundTrip: 20, kilobits: 10_000, body: 200_000, connections: 1),
        Case(roundTrip: 20, kilobits: 50_000, body: 1_000_000, connections: 2),
        Case(roundTrip: 20, kilobits: 100_000, body: 2_000_000, connections: 6),
        Case(roundTrip: 50, kilobits: 1_000, body: 30_000, connections: 1),
        Case(roundTrip: 50, kilobits: 9_000, body: 14_000, connections: 6),
        Case(roundTrip: 50, kilobits: 9_000, body: 500_000, connections: 2),
        Case(roundTrip: 50, kilobits: 50_000, body: 500_000, connections: 1),
        Case(roundTrip: 100, kilobits: 780, body: 3_000, connections: 6),
        Case(roundTrip: 100, kilobits: 1_600, body: 100_000, connections: 1),
        Case(roundTrip: 100, kilobits: 12_000, body: 1_000_000, connections: 1),
        Case(roundTrip: 100, kilobits: 12_000, body: 200_000, connections: 6),
        Case(roundTrip: 150, kilobits: 1_638.4, body: 14_000, connections: 1),
        Case(roundTrip: 150, kilobits: 1_638.4, body: 60_000, connections: 2),
        Case(roundTrip: 150, kilobits: 30_000, body: 1_000_000, connections: 2),
        Case(roundTrip: 200, kilobits: 780, body: 1_000, connections: 1),
        Case(roundTrip: 200, kilobits: 780, body: 50_000, connections: 2),
        Case(roundTrip: 200, kilobits: 20_000, body: 300_000, connections: 4),
        Case(roundTrip: 400, kilobits: 400, body: 20_000, connections: 1),
        Case(roundTrip: 840, kilobits: 240, body: 10_000, connections: 2),
    ]

    var rounds: Int

    /// Prints the table and returns what was worst.
    func run() async throws -> Measurement {
        print("| round trip | rate down | body | connections | formula | median | off by | least | off by |")
        print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        var worst = 0.0
        var worstLeast = 0.0
        // What the process does once is nobody's transfer.
        _ = try await measure(Case(roundTrip: 0, kilobits: 100_000, body: 100_000, connections: 2))
        for number in Self.cases.indices {
            let example = Self.cases[number]
            let (walls, formula) = try await measure(example)
            let median = walls.percentile(0.5)
            let least = walls.min() ?? 0
            worst = max(worst, abs(median / formula - 1))
            worstLeast = max(worstLeast, abs(least / formula - 1))
            let cells = [
                "\(example.roundTrip) ms", String(format: "%.1f Mbit/s", example.kilobits / 1000),
                "\(example.body) B", "\(example.connections)", String(format: "%.1f ms", formula * 1000),
                String(format: "%.1f ms", median * 1000), String(format: "%+.2f %%", (median / formula - 1) * 100),
                String(format: "%.1f ms", least * 1000), String(format: "%+.2f %%", (least / formula - 1) * 100),
            ]
            print("| " + cells.joined(separator: " | ") + " |")
        }
        let shares = try await share()
        print(
            "\nTwo transfers at once: shares \(shares.map { String(format: "%.1f %%", $0 * 100) }.joined(separator: ", "))"
        )
        let uneven = shares.map { abs($0 - 0.5) / 0.5 }.max() ?? 1
        return Measurement(
            "link",
            [
                "cases": Double(Self.cases.count), "worst": worst, "worst_least": worstLeast, "uneven": uneven,
            ])
    }

    private static func profile(_ example: Case) -> LinkProfile {
        LinkProfile(
            name: "case", downlinkBitsPerSecond: example.kilobits * 1000,
            uplinkBitsPerSecond: example.kilobits * 500,
            oneWayDelayDown: .microseconds(example.roundTrip * 500),
            oneWayDelayUp: .microseconds(example.roundTrip * 500))
    }

    /// The wall times and what the formula says, in seconds.
    private func measure(_ example: Case) async throws -> (walls: [Double], formula: Double) {
        let body = [UInt8](repeating: 65, count: example.body)
        let server = try await LocalServer.start(link: Self.profile(example)) { _ in
            LocalServer.Response(headers: [("Content-Type", "text/plain")], body: [.bytes(body)])
        }
        defer { server.stop() }
        var walls: [Double] = []
        for _ in 0..<rounds {
            var configuration = HTTPSession.Configuration()
            configuration.httpMaximumConnectionsPerHost = example.connections
            let session = HTTPSession(configuration: configuration)
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<example.connections {
                    let url = server.baseURL.appendingPathComponent("\(number)")
                    group.addTask { try await session.data(from: url).0.count }
                }
                for try await count in group where count != example.body { throw Invalid("\(count) bytes came") }
            }
            walls.append(start.duration(to: .now).seconds)
            session.invalidate()
            await session.drain()
        }
        guard let entry = server.requests.first else { throw Invalid("no request came") }
        let heads = entry.bytesWritten - example.body
        return (walls, Self.formula(example, request: entry.headByteCount, heads: heads))
    }

    private static func formula(_ example: Case, request: Int, heads: Int) -> Double {
        let trip = Double(example.roundTrip) / 1000
        let down = example.kilobits * 125
        let up = down / 2
        let count = Double(example.connections)
        let bytes = Double(example.body + heads)
        var wall = 2 * trip + count * Double(request) / up + count * bytes / down
        var window = 14_600.0
        var sent = 0.0
        while sent + window < bytes {
            let wait = trip + 1460 / down - count * window / down
            if wait <= 0 { break }
            wall += wait
            sent += window
            window *= 2
        }
        return wall
    }

    /// The shares of two transfers that start together, half-way through and at the end of the faster one.
    private func share() async throws -> [Double] {
        let body = [UInt8](repeating: 66, count: 1_000_000)
        var profile = LinkProfile.slow4G
        profile.downlinkBitsPerSecond = 8_000_000
        let server = try await LocalServer.start(link: profile) { _ in
            LocalServer.Response(headers: [("Content-Type", "text/plain")], body: [.bytes(body)])
        }
        defer { server.stop() }
        let session = HTTPSession(configuration: .init())
        let counts = [Counter(), Counter()]
        let halves = Shares()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                let url = server.baseURL.appendingPathComponent("\(number)")
                group.addTask {
                    let (bytes, _) = try await session.bytes(from: url)
                    for try await chunk in bytes.chunks {
                        let mine = counts[number].add(chunk.count)
                        let other = counts[1 - number].value
                        if mine >= body.count / 2 { halves.setHalf(Double(mine) / Double(mine + other)) }
                        if mine == body.count { halves.setEnd(Double(mine) / Double(mine + other)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        session.invalidate()
        await session.drain()
        return halves.values
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add(_ bytes: Int) -> Int { count.add(bytes, ordering: .relaxed).newValue }
    }

    /// The shares seen first.
    private final class Shares: Sendable {
        private let state = Mutex<(half: Double?, end: Double?)>((nil, nil))
        func setHalf(_ share: Double) { state.withLock { if $0.half == nil { $0.half = share } } }
        func setEnd(_ share: Double) { state.withLock { if $0.end == nil { $0.end = share } } }
        var values: [Double] { state.withLock { [$0.half, $0.end].compactMap { $0 } } }
    }
}
