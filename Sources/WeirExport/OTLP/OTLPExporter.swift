public import Foundation
import Synchronization
import WeirClient
import WeirCoding
public import WeirMetrics
import WeirModel

/// Sends snapshots to an OpenTelemetry collector: OTLP over HTTP, in JSON, compressed.
///
/// A snapshot becomes one request or more, which wait in files until a server has taken them, also across launches. It never
/// makes the app wait: ``export(_:)`` hands the snapshot over, and everything else happens in a task of its own, one request
/// at a time. Its own requests are seen by no observer and belong to no unit of work, so they are not measured.
///
/// ```swift
/// let exporter = try OTLPExporter(
///     endpoint: URL(string: "https://collector.example.com/v1/metrics")!, folder: caches.appending(path: "metrics"),
///     document: OTLPDocument(resource: .init(serviceName: "Library", serviceVersion: "3.2")))
/// exporter.export(recorder.snapshot(.delta))
/// ```
public final class OTLPExporter: MetricsExporter {
    /// How an exporter behaves.
    public struct Options: Sendable {
        /// Header fields for every request, such as `Authorization`.
        public var headers: [String: String] = [:]
        /// Whether it may send over a network that the system deems expensive, such as cellular; known on Apple platforms alone.
        public var allowsExpensiveNetwork = false
        /// Whether it may send over a network in Low Data Mode; known on Apple platforms alone.
        public var allowsConstrainedNetwork = false
        /// Whether the network may be used now, asked before each request: for what only the app knows.
        public var mayUseNetwork: @Sendable () -> Bool = { true }
        /// The most bytes of requests that wait; the oldest make room.
        public var queueBytes = 4 << 20
        /// The most series in one request.
        public var seriesPerRequest = 500
        /// The longest time in seconds for one request.
        public var timeout: TimeInterval = 30
        /// Whether requests are compressed with gzip.
        public var isCompressed = true

        var policy = OTLPMachine.Policy()
        var session = HTTPSession.Configuration()

        /// Makes the default options.
        public init() {}
    }

    /// Something that became of requests.
    public enum Event: Sendable, Hashable {
        /// A server took them.
        case sent(requests: Int)
        /// A server took them but for some points, which are not sent again; with no rejected points, it warned.
        case partlyTaken(rejectedPoints: UInt64, message: String)
        /// They will be sent again.
        case retrying(after: Duration, reason: String)
        /// They are lost.
        case dropped(requests: Int, reason: Reason)

        /// Why requests are lost.
        public enum Reason: Sendable, Hashable {
            /// The server does not take them, now or later.
            case refused(status: Int, message: String)
            /// There were more than the queue holds.
            case queueIsFull
            /// The exporter was turned off.
            case turnedOff
            /// A file could not be written or read; the sentence says why.
            case storage(String)
        }
    }

    /// The largest response that is read.
    static let responseLimit = 4 << 20

    private let commands: AsyncStream<OTLPWorker.Command>.Continuation
    private let task: Task<Void, Never>
    private let isOn = Lock(true)

    /// Makes an exporter, which begins to send what is left from an earlier launch.
    ///
    /// - Parameters:
    ///   - endpoint: The whole URL, mostly ending in `/v1/metrics`.
    ///   - folder: Where requests wait; the exporter's own.
    ///   - document: How snapshots are written, and who sends them.
    ///   - options: How it behaves.
    ///   - observe: Called with each event, from the exporter's task; it should return quickly.
    /// - Throws: What the file system says of the folder.
    public init(
        endpoint: URL, folder: URL, document: OTLPDocument, options: Options = Options(),
        observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws {
        let queue = try OTLPQueue(folder: folder, byteLimit: options.queueBytes)
        let (stream, commands) = AsyncStream.makeStream(of: OTLPWorker.Command.self)
        self.commands = commands
        // Its own requests are to be seen neither by whoever happens to make it nor by a unit of work that is open.
        task = UnitOfWork.Registry.$current.withValue(.init()) {
            UnitOfWork.$current.withValue(nil) {
                let worker = OTLPWorker(
                    endpoint: endpoint, queue: queue, document: document, options: options, commands: commands,
                    observe: observe)
                return Task(priority: .utility) { await worker.run(stream) }
            }
        }
    }

    deinit {
        commands.finish()
        task.cancel()
    }

    /// Takes a snapshot: encoded, written to the queue, and sent when the network and the server allow.
    ///
    /// Give it delta snapshots where several devices send to one place, as apps do: cumulative ones of a process that ends are
    /// a series for each launch. An empty snapshot is not sent.
    public func export(_ snapshot: MetricsSnapshot) {
        guard isEnabled else { return }
        commands.yield(.snapshot(snapshot))
    }

    /// Whether it takes snapshots and sends them; flip it when a remote configuration says so.
    ///
    /// Turning it off also discards what waits. It is on to begin with.
    public var isEnabled: Bool {
        get { isOn.withLock { $0 } }
        set {
            isOn.withLock { $0 = newValue }
            commands.yield(.turn(isOn: newValue))
        }
    }

    /// Tries again now if it waits for the network to be allowed: see ``Options/mayUseNetwork``.
    public func networkDidChange() { commands.yield(.networkChanged) }

    /// Waits until all that was taken has been sent or dropped, or has to wait: for a time that the server asked for, or for
    /// the network.
    public nonisolated(nonsending) func flush() async {
        await withCheckedContinuation { continuation in
            if case .terminated = commands.yield(.flush(continuation)) { continuation.resume() }
        }
    }
}
