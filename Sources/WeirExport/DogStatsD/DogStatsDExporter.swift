import Dispatch
import Foundation
import Synchronization
public import WeirMetrics
import WeirModel

/// Sends snapshots to a DogStatsD server, such as the Datadog Agent, over UDP or a Unix datagram socket.
///
/// Give it **delta** snapshots: what it sends is added up. Distributions are expanded to the middles of their buckets, with their
/// counts; see Documentation/exports.md. A datagram that nobody takes is lost, as is the way of the protocol, and counted.
public final class DogStatsDExporter: MetricsExporter {
    /// Where the server listens.
    public enum Address: Sendable, Hashable {
        /// Over UDP, mostly at port 8125.
        case udp(host: String, port: UInt16 = 8125)
        /// At a Unix datagram socket, mostly `/var/run/datadog/dsd.socket`.
        case unix(path: String)

        /// The largest datagram that is safe there: 1432 bytes over Ethernet, 8192 over a socket.
        public var datagramLimit: Int {
            switch self {
            case .udp: 1432
            case .unix: 8192
            }
        }
    }

    private let socket: DatagramSocket
    private let lines: DogStatsDLines
    private let queue = DispatchQueue(label: "weir.dogstatsd", qos: .utility)
    private let lost = Lock(0)

    /// Makes an exporter.
    ///
    /// - Parameters:
    ///   - address: Where the server listens; a name is looked up now, once.
    ///   - tags: Tags of everything, such as `service` and `version`.
    ///   - datagramLimit: The largest datagram in bytes, from 512; nil for the address's own.
    /// - Throws: An error that says why there is no socket.
    public init(address: Address, tags: [String: String] = [:], datagramLimit: Int? = nil) throws {
        switch address {
        case .udp(let host, let port): socket = try DatagramSocket(host: host, port: port)
        case .unix(let path): socket = try DatagramSocket(path: path)
        }
        lines = DogStatsDLines(
            limit: max(512, min(65_507, datagramLimit ?? address.datagramLimit)),
            tags: tags.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Sends a delta snapshot, from a queue of its own.
    public func export(_ snapshot: MetricsSnapshot) {
        guard !snapshot.isEmpty else { return }
        queue.async { [self] in
            let (datagrams, tooLong) = lines.datagrams(snapshot)
            var failed = tooLong
            for datagram in datagrams where !socket.send(datagram) { failed += 1 }
            if failed > 0 { lost.withLock { $0 += failed } }
        }
    }

    /// Waits until all that was taken has been handed to the system.
    public nonisolated(nonsending) func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// How many datagrams the system did not take, and lines that were longer than a datagram may be.
    public var lostDatagrams: Int { lost.withLock { $0 } }
}
