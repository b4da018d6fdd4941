import WeirFormats
import WeirMetrics
import WeirModel

extension Observation {
    /// What a line of a record file says, as the record itself would: see ``Observation/init(_:)``.
    init(_ outline: RecordOutline, _ line: UnsafeRawBufferPointer) {
        self.init()
        times[0] = outline.end - outline.start
        redirects = UInt64(clamping: outline.redirectCount)
        if outline.hasFailure { traits.failure = Traits.code(Self.failure(outline, line)) }
        guard outline.count > 0 else { return }
        traits.method = Self.method(UnsafeRawBufferPointer(rebasing: line[outline.first.method]))
        let isRevalidated = outline.hasConfirmation && outline.lookupStatus != nil
        if !outline.hasFailure {
            // The caller of a confirmed answer sees the cached one's status.
            let status = isRevalidated ? outline.lookupStatus ?? 0 : outline.last.status
            if status > 0, status < 1000 { traits.status = UInt16(status) }
        }
        newConnections = outline.newConnections
        reusedConnections = outline.reusedConnections
        wireBytes = outline.received
        sentBytes = outline.sent
        let decoded = isRevalidated ? outline.lookupDecoded : outline.last.decoded
        if decoded > 0 { decodedBytes = UInt64(decoded) }
        guard !isRevalidated else {
            traits.source = .revalidated
            read(outline.confirmation, line)
            return
        }
        switch outline.last.fetchType {
        case .localCache: traits.source = .cache
        case .coalesced: traits.source = .network
        case .serverPush:
            traits.source = .push
            read(outline.last, line)
        case .networkLoad, .unknown:
            traits.source = outline.last.status == 304 ? .notModified : .network
            read(outline.last, line)
        }
    }

    private mutating func read(_ exchange: RecordOutline.Exchange, _ line: UnsafeRawBufferPointer) {
        traits.connection = exchange.isReused
        traits.version = Self.version(UnsafeRawBufferPointer(rebasing: line[exchange.protocolName]))
        traits.isCellular = exchange.isCellular
        traits.isExpensive = exchange.isExpensive
        traits.isConstrained = exchange.isConstrained
        put(
            .queueing, from: exchange[.fetchStart],
            to: exchange[.domainLookupStart] ?? exchange[.connectStart] ?? exchange[.requestStart])
        put(.dns, from: exchange[.domainLookupStart], to: exchange[.domainLookupEnd])
        put(.connect, from: exchange[.connectStart], to: exchange[.connectEnd])
        put(.tls, from: exchange[.secureConnectionStart], to: exchange[.secureConnectionEnd])
        put(.waiting, from: exchange[.requestEnd], to: exchange[.responseStart])
        put(.download, from: exchange[.responseStart], to: exchange[.responseEnd])
        if let start = exchange[.requestStart], let end = exchange[.requestEnd], end < start { impossiblePhases += 1 }
    }

    private static func method(_ bytes: UnsafeRawBufferPointer) -> UInt8 {
        // By far the most common ones without a string.
        if bytes.count == 3, bytes[0] == UInt8(ascii: "G"), bytes[1] == UInt8(ascii: "E"), bytes[2] == UInt8(ascii: "T")
        {
            return Traits.code(method: "GET")
        }
        return Traits.code(method: String(decoding: bytes, as: UTF8.self))
    }

    private static func version(_ bytes: UnsafeRawBufferPointer) -> UInt8 {
        if bytes.count == 2, bytes[0] == UInt8(ascii: "h") {
            if bytes[1] == UInt8(ascii: "2") { return Traits.code(.http2) }
            if bytes[1] == UInt8(ascii: "3") { return Traits.code(.http3) }
        }
        return Traits.code(networkProtocolName: bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self))
    }

    private static func failure(_ outline: RecordOutline, _ line: UnsafeRawBufferPointer) -> FailureKind {
        FailureKind(
            .init(
                domain: String(decoding: line[outline.failureDomain], as: UTF8.self),
                code: Int(clamping: outline.failureCode),
                message: String(decoding: line[outline.failureMessage], as: UTF8.self)))
    }
}
