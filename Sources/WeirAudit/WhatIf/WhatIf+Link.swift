import Foundation
import WeirModel

/// What a request consists of on the wire, apart from the link: times in milliseconds, sizes in bytes.
struct WireParts: Sendable {
    /// The servers' time: waiting without the round trip, of all exchanges.
    var server = 0.0
    /// What of the downloads no rate explains: the server paused.
    var pauses = 0.0
    /// How many exchanges there were: one, and one for each redirect.
    var exchanges = 1
    /// How many round trips it takes to open the connection.
    var handshakes = 1
    /// Whether a name is looked up for it.
    var looksUp = false
    /// What is sent, heads included.
    var sent = 0.0
    /// What arrives beside the body: heads, and the bodies of redirects.
    var heads = 0.0

    /// Takes a record apart.
    ///
    /// - Parameters:
    ///   - roundTrip: The recorded link's, in milliseconds.
    ///   - rate: The most that the recorded link brought, in bytes per millisecond.
    init(_ record: TaskRecord, roundTrip: Double, rate: Double) {
        let transactions = record.transactions.filter { $0.resourceFetchType.usesNetwork }
        exchanges = max(1, transactions.count)
        for transaction in transactions {
            server += max(0, (transaction.waiting ?? 0) * 1000 - roundTrip)
            let body = Double(max(0, transaction.countOfResponseBodyBytesReceived ?? 0))
            pauses += max(0, (transaction.download ?? 0) * 1000 - (rate > 0 ? body / rate : 0))
            sent += Double(max(0, transaction.countOfRequestHeaderBytesSent ?? 400))
            sent += Double(max(0, transaction.countOfRequestBodyBytesSent ?? 0))
            heads += Double(max(0, transaction.countOfResponseHeaderBytesReceived ?? 300))
        }
        guard let first = transactions.first else { return }
        let isSecure = first.request.url.scheme?.lowercased() == "https" || first.secureConnectionStartDate != nil
        // TCP; TLS 1.3 adds one, and before it two; QUIC has all in one.
        let tls = !isSecure ? 0 : first.negotiatedTLSProtocolVersion.map { $0 < 0x0304 ? 2 : 1 } ?? 1
        handshakes = first.networkProtocolName == "h3" ? 1 : 1 + tls
        looksUp = first.dns != nil
    }
}

extension WhatIf {
    /// What TCP sends before the first acknowledgement (RFC 6928), in bytes.
    private static let initialWindow = 14_600.0

    /// Gives all requests of a simulation the times of another link.
    ///
    /// - Parameters:
    ///   - changes: What was changed before: servers that are faster, connections that are open.
    ///   - bytes: The bodies' sizes.
    func move(_ simulation: inout Simulation, _ changes: [Change], _ bytes: [Int], to link: LinkProfile) {
        let roundTrip = link.roundTrip.milliseconds
        let down = Self.bytesPerMillisecond(link.downlinkBitsPerSecond)
        let up = Self.bytesPerMillisecond(link.uplinkBitsPerSecond)
        simulation.downlink = down
        // On another link nobody knows what would be opened ahead.
        simulation.spares = []
        var faster: [Int: Double] = [:]
        var opened: Set<Int> = []
        var merged: [Int: [Int]] = [:]
        for change in changes {
            switch change {
            case .shorten(let index, let by): faster[index, default: 0] += by
            case .reuse(let indices): opened.formUnion(indices)
            case .merge(let indices): merged[indices.first ?? -1] = indices
            case .remove, .parallelize, .connectionLimit, .multiplex, .resize, .shortenSetup: break
            }
        }
        let wires = wires
        for index in simulation.nodes.indices where simulation.nodes[index] != nil {
            let wire = wires[index]
            // One request in place of several takes as long as the slowest of them.
            let parts = merged[index]?.map { wires[$0] } ?? [wire]
            let server = max(0, (parts.map(\.server).max() ?? 0) - (faster[index] ?? 0))
            let body = Double(bytes[index]) + wire.heads
            let pauses = max(0, parts.reduce(0) { $0 + $1.pauses } - (down.map { body / $0 } ?? 0))
            let upload = up.map { wire.sent / $0 } ?? 0
            simulation.nodes[index]?.exchange = Double(wire.exchanges) * roundTrip + server + pauses + upload
            simulation.nodes[index]?.transfer = body
            let lookup = wire.looksUp ? roundTrip + link.nameLookupDelay.milliseconds : 0
            let isOpen = opened.contains(index)
            simulation.nodes[index]?.setup = isOpen ? 0 : Double(wire.handshakes) * roundTrip + lookup
            simulation.nodes[index]?.slowStart = isOpen ? 0 : Self.slowStart(body, roundTrip, down)
        }
    }

    /// A rate as the simulation takes it; nil for no limit.
    ///
    /// What is no rate is almost none.
    private static func bytesPerMillisecond(_ bitsPerSecond: Double?) -> Double? {
        guard let bitsPerSecond, bitsPerSecond < .infinity else { return bitsPerSecond?.isNaN == true ? 0.001 : nil }
        return max(bitsPerSecond, 8) / 8000
    }

    /// How long a new connection stands still because its window is small: until it fills the link or the body is through.
    private static func slowStart(_ bytes: Double, _ roundTrip: Double, _ rate: Double?) -> Double {
        var window = initialWindow
        var sent = 0.0
        var still = 0.0
        while sent + window < bytes {
            sent += window
            let wait = roundTrip - (rate.map { window / $0 } ?? 0)
            if wait <= 0 { break }
            still += wait
            window *= 2
        }
        return still
    }
}

extension Duration {
    /// In milliseconds.
    fileprivate var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}
