import Foundation
package import WeirModel

/// What a recorder does, for one thread and for records that are read: no lock, and no copy of a URL.
package struct MetricsAccumulator: Sendable {
    private let settings: MetricsSettings
    private var state: MetricsShard.State
    private var serversOfBytes = HashTable()
    private var start = Date.distantFuture
    private var end = Date.distantPast

    /// Makes an empty accumulator.
    package init(route: RouteNaming, options: MetricsRecorder.Options) {
        settings = options.settings(route)
        state = MetricsShard.State(settings)
    }

    /// Adds a task.
    package mutating func record(_ record: TaskRecord) {
        var observation = Observation(record)
        if let label = settings.label { observation.traits.label = label.code(of: record) }
        extend(record.start, record.end)
        _ = state.record(record, observation, settings)
    }

    /// Adds a task to a URL that is there as bytes.
    package mutating func record(
        _ observation: Observation, url: UnsafeRawBufferPointer, start: Double, end: Double
    ) {
        extend(
            Date(timeIntervalSinceReferenceDate: start), Date(timeIntervalSinceReferenceDate: end))
        let isNotFound = observation.traits.status == 404
        let route: Int32
        let server: Int32
        if let parts = URLBytes(url) {
            route = state.routes.route(ofPath: parts.path, isNotFound: isNotFound)
            server = settings.separatesServers ? self.server(url, parts) : 0
        } else {
            let url = RequestURL(String(decoding: url, as: UTF8.self))
            route = state.routes.route(of: url, isNotFound: isNotFound)
            server = settings.separatesServers ? state.servers.server(of: url) : 0
        }
        let isSlow = state.slow.isSlow(observation.times[0], route: route)
        state.table.record(observation, route: route, server: server, isSlow: isSlow)
    }

    /// What was added, from the first start to the last end.
    package func snapshot() -> MetricsSnapshot {
        let isEmpty = start > end
        var result = MetricsSnapshot(
            start: isEmpty ? Date(timeIntervalSinceReferenceDate: 0) : start,
            end: isEmpty ? Date(timeIntervalSinceReferenceDate: 0) : end, temporality: .cumulative,
            labelName: settings.label?.name, seriesLimit: settings.seriesLimit)
        var assembly = SnapshotAssembly(settings)
        assembly.add([state], to: &result)
        return result
    }

    @inline(__always)
    private mutating func extend(_ start: Date, _ end: Date) {
        if start < self.start { self.start = start }
        if end > self.end { self.end = end }
    }

    /// The number of the server of a URL, found by the bytes up to its path.
    private mutating func server(_ url: UnsafeRawBufferPointer, _ parts: URLBytes) -> Int32 {
        let key = PathHash.of(UnsafeRawBufferPointer(rebasing: url[..<parts.pathStart]))
        if let known = serversOfBytes[key] { return known }
        let server = state.servers.server(of: RequestURL(String(decoding: url, as: UTF8.self)))
        // Only the server's number is remembered, of which there are few; the ways to write one are not.
        if serversOfBytes.count < 4 * ServerIndex.limit { serversOfBytes.insert(key, server) }
        return server
    }
}

/// The path of a URL with an authority, found by RFC 3986, appendix B; nil for others.
struct URLBytes {
    let path: UnsafeRawBufferPointer
    let pathStart: Int

    init?(_ url: UnsafeRawBufferPointer) {
        var position = 0
        while position < url.count, url[position] != UInt8(ascii: ":"), position < 8 { position += 1 }
        guard position > 1, position + 2 < url.count, url[position] == UInt8(ascii: ":"),
            url[position + 1] == UInt8(ascii: "/"), url[position + 2] == UInt8(ascii: "/"),
            (url[0] | 0x20) &- 0x61 < 26
        else { return nil }
        position += 3
        while position < url.count, url[position] != UInt8(ascii: "/") {
            if url[position] == UInt8(ascii: "?") || url[position] == UInt8(ascii: "#") { break }
            position += 1
        }
        pathStart = position
        while position < url.count, url[position] != UInt8(ascii: "?"), url[position] != UInt8(ascii: "#") {
            position += 1
        }
        path = UnsafeRawBufferPointer(rebasing: url[pathStart..<position])
    }
}
