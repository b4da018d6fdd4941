import Foundation
import WeirModel

/// An entry as a transaction, with what joins it to others.
///
/// A class, since a page can have thousands of them, and what they hold is large: they are sorted, listed and looked at.
final class HARExchange {
    let entry: HAREntry
    var transaction: Transaction
    /// When it was over.
    var end: Date
    /// What was guessed or not trusted.
    var doubts: [Recording.Note.Kind] = []

    /// When the fetch began.
    var start: Date { transaction.fetchStartDate ?? entry.start }

    /// When a follower of a redirect can start at the earliest: as soon as the head has arrived.
    var headArrival: Date { min(transaction.responseStartDate ?? end, end) }

    init(_ entry: consuming HAREntry, traits: HARTraits) {
        transaction = Transaction(
            request: entry.request, response: entry.response, resourceFetchType: entry.fetchType)
        end = entry.start
        self.entry = consume entry
        setDates(traits)
        setSizes(traits)
        if self.entry.fetchType != .localCache { setConnection(traits) }
    }

    private func setSizes(_ traits: HARTraits) {
        let sizes = entry.sizes
        transaction.countOfRequestHeaderBytesSent = HARSizes.count(sizes.requestHead)
        transaction.countOfRequestBodyBytesSent = HARSizes.count(sizes.requestBody) ?? sizes.requestContentLength
        transaction.requestBodyDigest = entry.requestBodyDigest
        transaction.requestOperationDigest = entry.operation
        guard let response = entry.response else { return }
        transaction.countOfResponseBodyBytesAfterDecoding = sizes.decodedBody
        if entry.fetchType == .localCache {
            transaction.countOfResponseBodyBytesReceived = 0
            return
        }
        transaction.countOfResponseHeaderBytesReceived = HARSizes.count(sizes.head)
        transaction.countOfResponseBodyBytesIfCompressed = entry.compressedBytes
        // RFC 9110, 6.4.1: these have no body, whatever the exporter writes (Firefox: the cached body's size).
        if entry.request.method == "HEAD" || [204, 205, 304].contains(response.statusCode) {
            transaction.countOfResponseBodyBytesReceived = 0
            return
        }
        let isComplete = entry.failure == nil && response.statusCode != 101
        let body = sizes.receivedBody(exporter: traits.exporter, isComplete: isComplete)
        transaction.countOfResponseBodyBytesReceived = body.count
        if body.includesHead { doubts.append(.sizeIncludesHead) }
        if body.isOnlyDecoded { doubts.append(.encodedSizeUnknown) }
    }

    private func setConnection(_ traits: HARTraits) {
        transaction.networkProtocolName = traits.exporter == .pulse ? nil : entry.protocolName
        if traits.areConnectionsTold { transaction.connectionID = entry.connection }
        transaction.remoteAddress = entry.remoteAddress
        transaction.remotePort = entry.remotePort
        if traits.isConnectionRemotePort, entry.connection != nil { transaction.remotePort = entry.request.url.port }
        transaction.negotiatedTLSProtocolVersion = entry.tlsVersion
    }
}
