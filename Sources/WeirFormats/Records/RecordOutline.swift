/// What distributions need of one record, as it stands in a line of a record file; nothing is copied.
///
/// Slices are of the line's bytes, and hold no escapes but in ``failureMessage``. Times are seconds since 2001-01-01 UTC.
package struct RecordOutline {
    /// What is needed of a transaction.
    package struct Exchange {
        package var method = 0..<0
        package var url = 0..<0
        package var protocolName = 0..<0
        /// The dates by the ranks of ``RecordOutline/Mark``; NaN where there is none.
        package var marks = SIMD16<Double>(repeating: .nan)
        package var status = 0
        package var fetchType = FetchType.unknown
        /// 0 where it is not known, 1 for no, 2 for yes; the next three too.
        package var isReused: UInt8 = 0
        package var isCellular: UInt8 = 0
        package var isExpensive: UInt8 = 0
        package var isConstrained: UInt8 = 0
        /// -1 where it is not known; the next two too.
        package var received: Int64 = -1
        package var decoded: Int64 = -1
        package var sent: Int64 = -1

        /// A date, or nil.
        @inline(__always)
        package subscript(mark: Mark) -> Double? {
            let value = marks[Int(mark.rawValue)]
            return value.isNaN ? nil : value
        }
    }

    /// Where a resource came from.
    package enum FetchType: UInt8 {
        case unknown
        case networkLoad
        case localCache
        case serverPush
        case coalesced
    }

    /// The dates of a transaction.
    package enum Mark: UInt8 {
        case fetchStart
        case domainLookupStart
        case domainLookupEnd
        case connectStart
        case secureConnectionStart
        case secureConnectionEnd
        case connectEnd
        case requestStart
        case requestEnd
        case responseStart
        case responseEnd
    }

    package var start = Double.nan
    package var end = Double.nan
    package var redirectCount: Int64 = 0
    package var failureDomain = 0..<0
    package var failureMessage = 0..<0
    package var failureCode: Int64 = 0
    package var hasFailure = false
    /// How many transactions there are.
    package var count = 0
    package var first = Exchange()
    package var last = Exchange()
    /// The last one that was not answered from a cache and had a status of 304; only where ``hasConfirmation``.
    package var confirmation = Exchange()
    package var hasConfirmation = false
    /// The status of the last one that was answered from a cache; nil where none was.
    package var lookupStatus: Int?
    /// The decoded size of the last look into a cache, or -1.
    package var lookupDecoded: Int64 = -1
    /// Sums over all transactions that were not answered from a cache.
    package var newConnections: UInt64 = 0
    package var reusedConnections: UInt64 = 0
    package var received: UInt64 = 0
    package var sent: UInt64 = 0

    package init() {}
}
