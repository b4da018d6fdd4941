import Foundation
import WeirModel

extension RequestTiming {
    /// A task, flat.
    init(_ record: TaskRecord, _ observation: Observation, route: String, labels: MetricsLabel?, isSlow: Bool) {
        let first = record.transactions.first?.request
        self.init(
            id: record.id, url: Self.url(first?.url, route), route: route, method: first?.method ?? "GET",
            start: record.start, total: record.duration * 1000)
        let key = observation.traits.key(route: route, server: nil, labels: labels)
        statusCode = key.statusCode
        failure = key.failure
        segment = key.segment
        isFromCache = segment.source == .cache || segment.source == .revalidated
        isReused = segment.connection.map { $0 == .reused }
        redirectCount = record.redirectCount
        self.isSlow = isSlow
        for measure in Distributions.Measure.allCases where !observation.times[measure.rank].isNaN {
            let milliseconds = observation.times[measure.rank] * 1000
            switch measure {
            case .total: break
            case .queueing: queueing = milliseconds
            case .dns: dns = milliseconds
            case .connect: connect = milliseconds
            case .tls: tls = milliseconds
            case .waiting: timeToFirstByte = milliseconds
            case .download: download = milliseconds
            }
        }
        let network = record.transactions.last { $0.resourceFetchType.usesNetwork }
        networkProtocolName = network?.networkProtocolName
        if segment.source != .cache { request = network?.duration(of: .request).map { $0 * 1000 } }
        let received = record.transactions.compactMap(\.countOfResponseBodyBytesReceived)
        wireBytes = received.isEmpty ? nil : Int64(clamping: observation.wireBytes)
        decodedBytes = record.outcome?.countOfResponseBodyBytesAfterDecoding
    }

    /// Scheme, host and route.
    private static func url(_ url: RequestURL?, _ route: String) -> String {
        let path = route.hasPrefix("/") ? route : "/" + route
        guard let url, let scheme = url.scheme, !url.host.isEmpty else { return path }
        return "\(scheme.lowercased())://\(url.hostAndPort)\(path)"
    }
}
