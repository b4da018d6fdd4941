import Foundation
import Synchronization
import WeirClient
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One load-generating connection: a session of its own, whose connection carries an endless transfer.
final class LoadConnection: Sendable {
    enum Direction: String, Sendable, Hashable {
        case download, upload
    }

    /// Takes the record of one request.
    final class Records: TaskObserver {
        private let records = Lock<[TaskRecord]>([])
        func taskDidFinish(_ record: TaskRecord) { records.withLock { $0.append(record) } }
        var transaction: Transaction? { records.withLock { $0.first?.transactions.last } }
    }

    private struct State {
        /// What the first exchange told of the connection.
        var first: Transaction?
        var isLoading = false
        var downloaded = 0
    }

    private let session: HTTPSession
    private let direction: Direction
    private let urls: QualityConfiguration
    private let meter = UploadMeter()
    private let state = Lock(State())

    init(_ direction: Direction, _ urls: QualityConfiguration, _ configuration: HTTPSession.Configuration) {
        self.direction = direction
        self.urls = urls
        var configuration = configuration
        // What is sent over it stays on one connection.
        configuration.httpMaximumConnectionsPerHost = 1
        // Else probes would wait in this machine's own buffers.
        configuration.unsentBytesLimit = 16_384
        session = HTTPSession(unobserved: configuration)
    }

    /// A request of the test: nothing is to be coded, as the draft wants it.
    static func request(_ url: URL, method: String = "GET") -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if method == "POST" { request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type") }
        return request
    }

    /// Loads the network until the task is cancelled.
    ///
    /// - Throws: ``QualityMeasurement/Failure`` when the connection ends with an error or the server does not do its part.
    func run() async throws {
        let records = Records()
        let (_, first) = try await session.data(for: Self.request(urls.small), observer: records)
        try Self.check(first, urls.small)
        state.withLock { state in
            state.first = records.transaction
            state.isLoading = true
        }
        while true {
            switch direction {
            case .download:
                let (bytes, response) = try await session.bytes(for: Self.request(urls.large))
                try Self.check(response, urls.large)
                var isEmpty = true
                for try await chunk in bytes.chunks {
                    isEmpty = false
                    state.withLock { $0.downloaded += chunk.count }
                }
                if isEmpty { throw QualityMeasurement.Failure("\(urls.large.absoluteString) is empty") }
            case .upload:
                let response: HTTPURLResponse
                do {
                    (_, response) = try await session.upload(
                        for: Self.request(urls.upload, method: "POST"), endlessly: meter)
                } catch let error as URLError where error.code == .badServerResponse {
                    throw QualityMeasurement.Failure(
                        "\(urls.upload.absoluteString) does not take an endless body: \(error.localizedDescription)")
                }
                try Self.check(response, urls.upload)
                // Who answers before the body ends takes none.
                throw QualityMeasurement.Failure("\(urls.upload.absoluteString) does not take an endless body")
            }
        }
    }

    static func check(_ response: HTTPURLResponse, _ url: URL) throws {
        guard 200...299 ~= response.statusCode else {
            throw QualityMeasurement.Failure("\(url.absoluteString) answers with \(response.statusCode)")
        }
    }

    /// Bytes that have crossed the network by now.
    func crossed(at now: Moment) -> Double {
        switch direction {
        case .download: Double(state.withLock { $0.downloaded })
        case .upload: meter.crossed(at: now)
        }
    }

    /// What the first exchange told of the connection; nil before it.
    var first: Transaction? { state.withLock { $0.first } }

    /// Whether the transfer runs and other requests can share its connection.
    var takesProbes: Bool {
        state.withLock { $0.isLoading && ["h2", "h3"].contains($0.first?.networkProtocolName) }
    }

    /// Sends a probe over the connection; nil when it went over another one.
    func probe() async throws -> Responsiveness.Probe? {
        let records = Records()
        let (_, response) = try await session.data(for: Self.request(urls.small), observer: records)
        try Self.check(response, urls.small)
        guard let transaction = records.transaction, let own = first, transaction.connectionID == own.connectionID,
            let start = transaction.requestStartDate, let end = transaction.responseEndDate
        else { return nil }
        return .loaded(http: end.timeIntervalSince(start) * 1000)
    }

    /// Ends everything.
    func close() async {
        session.invalidate()
        await session.drain()
    }
}
