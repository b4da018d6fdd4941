import Foundation
import WeirModel

/// The members of a transaction in record files, by kind, in one table for reading and writing.
///
/// The schema is ``Transaction``'s `Codable` conformance; a test holds the two together.
enum TransactionFields {
    struct Field<Value>: Sendable {
        var name: StaticString
        var path: any WritableKeyPath<Transaction, Value> & Sendable
    }

    static let dates: [Field<Date?>] = [
        .init(name: "fetchStartDate", path: \.fetchStartDate),
        .init(name: "domainLookupStartDate", path: \.domainLookupStartDate),
        .init(name: "domainLookupEndDate", path: \.domainLookupEndDate),
        .init(name: "connectStartDate", path: \.connectStartDate),
        .init(name: "secureConnectionStartDate", path: \.secureConnectionStartDate),
        .init(name: "secureConnectionEndDate", path: \.secureConnectionEndDate),
        .init(name: "connectEndDate", path: \.connectEndDate),
        .init(name: "requestStartDate", path: \.requestStartDate),
        .init(name: "requestEndDate", path: \.requestEndDate),
        .init(name: "responseStartDate", path: \.responseStartDate),
        .init(name: "responseEndDate", path: \.responseEndDate),
    ]

    static let counts: [Field<Int64?>] = [
        .init(name: "countOfRequestHeaderBytesSent", path: \.countOfRequestHeaderBytesSent),
        .init(name: "countOfRequestBodyBytesSent", path: \.countOfRequestBodyBytesSent),
        .init(name: "countOfResponseHeaderBytesReceived", path: \.countOfResponseHeaderBytesReceived),
        .init(name: "countOfResponseBodyBytesReceived", path: \.countOfResponseBodyBytesReceived),
        .init(name: "countOfResponseBodyBytesAfterDecoding", path: \.countOfResponseBodyBytesAfterDecoding),
        .init(name: "countOfResponseBodyBytesIfCompressed", path: \.countOfResponseBodyBytesIfCompressed),
    ]

    static let flags: [Field<Bool?>] = [
        .init(name: "isReusedConnection", path: \.isReusedConnection),
        .init(name: "isProxyConnection", path: \.isProxyConnection),
        .init(name: "isResumedTLSSession", path: \.isResumedTLSSession),
        .init(name: "isCellular", path: \.isCellular), .init(name: "isExpensive", path: \.isExpensive),
        .init(name: "isConstrained", path: \.isConstrained), .init(name: "isMultipath", path: \.isMultipath),
    ]

    static let texts: [Field<String?>] = [
        .init(name: "networkProtocolName", path: \.networkProtocolName),
        .init(name: "connectionID", path: \.connectionID),
        .init(name: "localAddress", path: \.localAddress), .init(name: "remoteAddress", path: \.remoteAddress),
    ]

    static let ports: [Field<Int?>] = [
        .init(name: "localPort", path: \.localPort), .init(name: "remotePort", path: \.remotePort),
    ]

    static let codes: [Field<UInt16?>] = [
        .init(name: "negotiatedTLSProtocolVersion", path: \.negotiatedTLSProtocolVersion),
        .init(name: "negotiatedTLSCipherSuite", path: \.negotiatedTLSCipherSuite),
    ]

    static let digests: [Field<BodyDigest?>] = [
        .init(name: "requestBody", path: \.requestBodyDigest), .init(name: "responseBody", path: \.responseBodyDigest),
        .init(name: "requestOperation", path: \.requestOperationDigest),
    ]
}
