import Foundation
import Testing
import WeirMetrics

@testable import WeirExport

@Suite struct DogStatsDTests {
    /// A datagram socket of this machine that keeps what it is sent.
    private final class Receiver {
        let descriptor: Int32
        private(set) var port: UInt16 = 0

        init() throws {
            descriptor = socket(AF_INET, Self.datagram, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
                }
            }
            try #require(isBound)
            port = UInt16(bigEndian: address.sin_port)
            var size: Int32 = 4 << 20
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }

        init(path: String) throws {
            descriptor = socket(AF_UNIX, Self.datagram, 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            try #require(isBound)
        }

        deinit { close(descriptor) }

        private static var datagram: Int32 {
            #if canImport(Darwin)
            SOCK_DGRAM
            #else
            Int32(SOCK_DGRAM.rawValue)
            #endif
        }

        /// All datagrams until none has come for a while.
        func datagrams(atLeast count: Int) -> [String] {
            var result: [String] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&wait, 1, result.count < count ? 10_000 : 200) > 0 else { return result }
                let length = recv(descriptor, &buffer, buffer.count, 0)
                guard length > 0 else { return result }
                result.append(String(decoding: buffer[..<length], as: UTF8.self))
            }
        }
    }

    /// A line, read as the protocol has it.
    private struct Line {
        var name: String
        var values: [Double]
        var type: String
        var rate = 1.0
        var tags: [String: String] = [:]

        init?(_ text: Substring) {
            let parts = text.split(separator: "|", omittingEmptySubsequences: false)
            guard parts.count >= 2 else { return nil }
            let values = parts[0].split(separator: ":", omittingEmptySubsequences: false)
            name = String(values[0])
            self.values = values.dropFirst().compactMap { Double($0) }
            guard self.values.count == values.count - 1, !self.values.isEmpty else { return nil }
            type = String(parts[1])
            for part in parts.dropFirst(2) {
                if part.hasPrefix("@"), let rate = Double(part.dropFirst()) {
                    self.rate = rate
                } else if part.hasPrefix("#") {
                    for tag in part.dropFirst().split(separator: ",") {
                        let pair = tag.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                        guard pair.count == 2 else { return nil }
                        tags[String(pair[0])] = String(pair[1])
                    }
                } else {
                    return nil
                }
            }
        }
    }

    private func check(_ datagrams: [String], limit: Int) {
        #expect(datagrams.allSatisfy { $0.utf8.count <= limit })
        let texts = datagrams.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let lines = texts.compactMap { Line($0) }
        #expect(lines.count == texts.count && !lines.isEmpty)
        let books = lines.filter {
            $0.tags["url.template"] == "/books/:id" && $0.name == "http.client.request.duration"
        }
        #expect(books.allSatisfy { $0.type == "d" })
        // As many values as there were, each within the error of the histogram.
        var values: [Double] = []
        for line in books {
            for value in line.values { values += Array(repeating: value, count: Int(1 / line.rate)) }
        }
        #expect(values.count == 200)
        values.sort()
        var histogram = ExponentialHistogram()
        for value in 1...200 { histogram.record(Double(value) / 1000) }
        let error = histogram.relativeError
        for (place, value) in values.enumerated() {
            let exact = Double(place + 1) / 1000
            #expect(abs(value - exact) <= exact * error * 1.000001)
        }
        #expect(books.first?.tags["screen"] == "Loans \"new\"\\_\u{e4}")
        #expect(books.first?.tags["service"] == "a_b_c")
        let requests = lines.filter { $0.name == "weir.http.client.requests" }
        #expect(requests.allSatisfy { $0.type == "c" } && requests.reduce(0) { $0 + $1.values[0] } == 206)
        let overflow = lines.filter { $0.tags["otel.metric.overflow"] == "true" }
        #expect(!overflow.isEmpty)
        #expect(lines.contains { $0.name == "weir.http.client.failures" && $0.tags["error.type"] == "timeout" })
    }

    @Test func overUDP() async throws {
        let receiver = try Receiver()
        let exporter = try DogStatsDExporter(
            address: .udp(host: "127.0.0.1", port: receiver.port), tags: ["service": "a,b|c"])
        exporter.export(Fixtures.snapshot(.delta))
        await exporter.flush()
        let datagrams = receiver.datagrams(atLeast: 2)
        #expect(datagrams.count > 1)
        check(datagrams, limit: 1432)
        #expect(exporter.lostDatagrams == 0)
    }

    @Test func overAUnixSocket() async throws {
        try await Tools.withFolder { folder in
            let path = folder.appending(path: "s").path
            let receiver = try Receiver(path: path)
            let exporter = try DogStatsDExporter(address: .unix(path: path), tags: ["service": "a,b|c"])
            exporter.export(Fixtures.snapshot(.delta))
            await exporter.flush()
            check(receiver.datagrams(atLeast: 1), limit: 8192)
        }
    }

    @Test func nobodyListens() async throws {
        try await Tools.withFolder { folder in
            #expect(throws: DatagramSocket.Failure.self) {
                try DogStatsDExporter(address: .unix(path: folder.appending(path: "none").path))
            }
            #expect(throws: DatagramSocket.Failure.self) {
                try DogStatsDExporter(address: .unix(path: String(repeating: "x", count: 200)))
            }
            let path = folder.appending(path: "s").path
            var receiver: Receiver? = try Receiver(path: path)
            let exporter = try DogStatsDExporter(address: .unix(path: path))
            _ = receiver
            receiver = nil
            exporter.export(Fixtures.snapshot(.delta))
            await exporter.flush()
            #expect(exporter.lostDatagrams > 0)
        }
    }

    @Test func ratesArePowersOfTwoAndCountsAreExact() {
        var histogram = ExponentialHistogram()
        histogram.record(0.02, count: 13)
        #expect(DogStatsDLines.expanded(.exponential(histogram)) == [["0.02"], [], ["0.02"], ["0.02"]])
        histogram.record(0, count: 2)
        let expanded = DogStatsDLines.expanded(.exponential(histogram))
        #expect(expanded.map(\.count) == [1, 1, 1, 1] && expanded[1] == ["0.0"])
        #expect(DogStatsDLines.expanded(.exponential(ExponentialHistogram())).isEmpty)
        var fixed = FixedBucketHistogram(boundaries: [0.1, 0.2])
        for value in [0.05, 0.15, 0.16, 0.9] { fixed.record(value) }
        #expect(DogStatsDLines.expanded(.fixed(fixed)).map(\.count) == [2, 1])
    }

    @Test func linesThatCannotBeCutAreCounted() {
        let tags = (0..<9).map { ("tag\($0)", String(repeating: "x", count: 100)) }
        let (whole, tooLong) = DogStatsDLines(limit: 512, tags: tags).datagrams(Fixtures.snapshot(.delta))
        #expect(whole.isEmpty && tooLong > 10)
        #expect(DogStatsDLines(limit: 1432, tags: tags).datagrams(Fixtures.snapshot(.delta)).tooLong == 0)
    }

    @Test func longLinesAreCutAtValues() {
        var snapshot = MetricsSnapshot(start: .now, end: .now, temporality: .delta)
        var series = MetricsSnapshot.Series(key: .init(route: "a"))
        series.distributions.total = Fixtures.histogram((1...160).map { Double($0) / 1000 })
        snapshot.series = [series]
        for limit in [512, 600, 1432] {
            let datagrams = DogStatsDLines(limit: limit, tags: []).datagrams(snapshot).whole
            #expect(datagrams.allSatisfy { $0.count <= limit } && datagrams.count > 1)
        }
    }
}
