import Foundation

extension RecordScanner {
    /// The members that are needed.
    enum Member: UInt8 {
        case id, start, end, redirectCount, failure, transactions
        case domain, code, message
        case request, response, resourceFetchType, networkProtocolName, isReusedConnection
        case isCellular, isExpensive, isConstrained
        case received, decoded, sent
        case fetchStartDate, domainLookupStartDate, domainLookupEndDate, connectStartDate
        case secureConnectionStartDate, secureConnectionEndDate, connectEndDate
        case requestStartDate, requestEndDate, responseStartDate, responseEndDate
        case method, url, statusCode
        /// One that is not needed.
        case other

        /// The date that it is, or nil.
        @inline(__always)
        var mark: RecordOutline.Mark? {
            guard rawValue >= Member.fetchStartDate.rawValue, rawValue <= Member.responseEndDate.rawValue else {
                return nil
            }
            return RecordOutline.Mark(rawValue: rawValue - Member.fetchStartDate.rawValue)
        }

        /// The member of a name.
        @inline(__always)
        init(_ name: UnsafeRawBufferPointer) {
            guard let start = name.baseAddress, name.count > 0 else {
                self = .other
                return
            }
            let (member, text) = Self.candidate(name)
            let isIt = text.utf8CodeUnitCount == name.count && memcmp(start, text.utf8Start, name.count) == 0
            self = isIt ? member : .other
        }

        /// The one member that a name can be by its length and a letter; its text is as long as the name.
        @inline(__always)
        private static func candidate(_ name: UnsafeRawBufferPointer) -> (Member, StaticString) {
            switch (name.count, name[0]) {
            case (2, _): (.id, "id")
            case (3, UInt8(ascii: "e")): (.end, "end")
            case (3, _): (.url, "url")
            case (4, _): (.code, "code")
            case (5, _): (.start, "start")
            case (6, UInt8(ascii: "m")): (.method, "method")
            case (6, _): (.domain, "domain")
            case (7, UInt8(ascii: "r")): (.request, "request")
            case (7, UInt8(ascii: "m")): (.message, "message")
            case (7, _): (.failure, "failure")
            case (8, _): (.response, "response")
            case (10, UInt8(ascii: "s")): (.statusCode, "statusCode")
            case (10, _): (.isCellular, "isCellular")
            case (11, _): (.isExpensive, "isExpensive")
            case (12, _): (.transactions, "transactions")
            case (13, UInt8(ascii: "r")): (.redirectCount, "redirectCount")
            case (13, _): (.isConstrained, "isConstrained")
            case (14, UInt8(ascii: "f")): (.fetchStartDate, "fetchStartDate")
            case (14, UInt8(ascii: "c")): (.connectEndDate, "connectEndDate")
            case (14, _): (.requestEndDate, "requestEndDate")
            case (15, _): (.responseEndDate, "responseEndDate")
            case (16, UInt8(ascii: "c")): (.connectStartDate, "connectStartDate")
            case (16, _): (.requestStartDate, "requestStartDate")
            case (17, _):
                name[2] == UInt8(ascii: "s") && name[3] == UInt8(ascii: "o")
                    ? (.resourceFetchType, "resourceFetchType") : (.responseStartDate, "responseStartDate")
            case (18, _): (.isReusedConnection, "isReusedConnection")
            case (19, UInt8(ascii: "d")): (.domainLookupEndDate, "domainLookupEndDate")
            case (19, _): (.networkProtocolName, "networkProtocolName")
            case (21, _): (.domainLookupStartDate, "domainLookupStartDate")
            case (23, _): (.secureConnectionEndDate, "secureConnectionEndDate")
            case (25, _): (.secureConnectionStartDate, "secureConnectionStartDate")
            case (27, _): (.sent, "countOfRequestBodyBytesSent")
            case (32, _): (.received, "countOfResponseBodyBytesReceived")
            case (37, _): (.decoded, "countOfResponseBodyBytesAfterDecoding")
            default: (.other, "")
            }
        }
    }
}
