import Foundation
import WeirModel

/// Entries of a file that is being read, packed into bytes: about a tenth of what they take unpacked.
///
/// They wait here until the file has ended, because only then is it known how to take them.
struct HAREntryStore: Sendable {
    private var writer = PackedWriter()

    /// The size of what is held, in bytes, strings that are shared not counted.
    var size: Int { writer.size }

    /// Lets go of what only adding entries needs.
    mutating func settle() { writer.settle() }

    /// Adds an entry.
    ///
    /// - Returns: Where it is.
    mutating func append(_ entry: HAREntry) -> Int {
        let place = writer.begin()
        writer.add(UInt64(entry.index))
        writer.addShared(entry.pageID)
        writer.addBits(entry.start.timeIntervalSinceReferenceDate.bitPattern)
        writer.add(entry.elapsed)
        writer.add(entry.timings)
        writer.add(entry.sizes)
        let flags = (entry.isInternalRedirect ? 1 : 0) | (entry.hasCacheState ? 2 : 0) | (entry.wasPushed ? 4 : 0)
        writer.add(UInt64(flags))
        writer.addShared(entry.request.method)
        writer.addRepeated(entry.request.url.absoluteString)
        writer.add(entry.request.headerFields)
        writer.add(entry.responseHeaderFields)
        writer.add(entry.status.map(Int64.init))
        writer.add(entry.redirectTarget)
        writer.addShared(entry.failure)
        writer.add(entry.requestBodyDigest.map { Int64(bitPattern: $0.rawValue) })
        writer.addShared(entry.protocolName)
        writer.addShared(entry.connection)
        writer.addShared(entry.remoteAddress)
        writer.add(entry.remotePort.map(Int64.init))
        writer.add(entry.tlsVersion.map(Int64.init))
        writer.addShared(entry.toldFetchType?.rawValue)
        writer.add(entry.isReusedConnection.map { $0 ? Int64(1) : 0 })
        writer.add(entry.testMarks?.all)
        writer.add(entry.testMarks?.load)
        writer.add(entry.operation.map { Int64(bitPattern: $0.rawValue) })
        writer.add(entry.compressedBytes)
        writer.add(entry.initiator?.kind.rawValue ?? 0)
        writer.addShared(entry.initiator?.url)
        writer.add(UInt64(entry.wrongTypes.count))
        for path in entry.wrongTypes { writer.addShared(path) }
        writer.add(entry.native)
        return place
    }

    /// The entry at a place that ``append(_:)`` gave.
    func entry(at place: Int) -> HAREntry {
        var reader = PackedReader(writer, from: place)
        let index = Int(clamping: reader.unsigned())
        let pageID = reader.shared() ?? ""
        let start = Date(timeIntervalSinceReferenceDate: Double(bitPattern: reader.bits()))
        var entry = HAREntry(index: index, pageID: pageID, start: start, request: .init(url: ""))
        entry.elapsed = reader.number()
        entry.timings = reader.timings()
        entry.sizes = reader.sizes()
        let flags = reader.unsigned()
        entry.isInternalRedirect = flags & 1 != 0
        entry.hasCacheState = flags & 2 != 0
        entry.wasPushed = flags & 4 != 0
        entry.request.method = reader.shared() ?? "GET"
        entry.request.url = RequestURL(reader.repeated())
        entry.request.headerFields = reader.headerFields()
        entry.responseHeaderFields = reader.headerFields()
        entry.status = reader.signed().map { Int(clamping: $0) }
        entry.redirectTarget = reader.text()
        entry.failure = reader.shared()
        entry.requestBodyDigest = reader.signed().map { BodyDigest(rawValue: UInt64(bitPattern: $0)) }
        entry.protocolName = reader.shared()
        entry.connection = reader.shared()
        entry.remoteAddress = reader.shared()
        entry.remotePort = reader.signed().map { Int(clamping: $0) }
        entry.tlsVersion = reader.signed().map { UInt16(truncatingIfNeeded: $0) }
        entry.toldFetchType = reader.shared().flatMap(Transaction.ResourceFetchType.init)
        entry.isReusedConnection = reader.signed().map { $0 != 0 }
        let all = reader.number()
        let load = reader.number()
        if let all, let load { entry.testMarks = (all, load) }
        entry.operation = reader.signed().map { BodyDigest(rawValue: UInt64(bitPattern: $0)) }
        entry.compressedBytes = reader.signed()
        let initiatorKind = reader.unsigned()
        entry.initiator = HARInitiator(kind: initiatorKind, url: reader.shared())
        for _ in 0..<reader.unsigned() { entry.wrongTypes.append(reader.shared() ?? "") }
        let nativeKind = reader.unsigned()
        if nativeKind > 0 { entry.native = reader.native(nativeKind, entry) }
        return entry
    }
}

extension PackedWriter {
    fileprivate mutating func add(_ timings: HARTimings) {
        add(timings.blocked)
        add(timings.queueing)
        add(timings.proxy)
        add(timings.dns)
        add(timings.connect)
        add(timings.ssl)
        add(timings.send)
        add(timings.wait)
        add(timings.receive)
    }

    fileprivate mutating func add(_ sizes: HARSizes) {
        add(sizes.requestHead)
        add(sizes.requestBody)
        add(sizes.requestContentLength)
        add(sizes.head)
        add(sizes.body)
        add(sizes.transfer)
        add(sizes.content)
        add(sizes.compression)
        add(sizes.text)
        add(sizes.contentLength)
        add(sizes.isCompressed ? 1 as UInt64 : 0)
    }
}

extension PackedReader {
    fileprivate mutating func timings() -> HARTimings {
        var timings = HARTimings()
        timings.blocked = number()
        timings.queueing = number()
        timings.proxy = number()
        timings.dns = number()
        timings.connect = number()
        timings.ssl = number()
        timings.send = number()
        timings.wait = number()
        timings.receive = number()
        return timings
    }

    fileprivate mutating func sizes() -> HARSizes {
        var sizes = HARSizes()
        sizes.requestHead = number()
        sizes.requestBody = number()
        sizes.requestContentLength = signed()
        sizes.head = number()
        sizes.body = number()
        sizes.transfer = number()
        sizes.content = number()
        sizes.compression = number()
        sizes.text = signed()
        sizes.contentLength = signed()
        sizes.isCompressed = unsigned() == 1
        return sizes
    }
}
