import Foundation

// The schema of record files, one record a line: dates in ISO 8601 with microseconds, durations in milliseconds with
// the unit in the name, sizes in bytes; what is unknown is left out. Digests are process-bound and never written: an
// ordinal stands for each distinct body where the encoder was given `BodyOrdinals`.

extension TaskRecord: Codable {
    private enum Key: String, CodingKey {
        case id, unit, attribution, start, end, durationMilliseconds, redirectCount, failure
        case clockResolutionMilliseconds, schedulingDelayMilliseconds, transactions, edges, isExamined
    }

    /// The resolution of dates in files, in seconds.
    private static let fileResolution: TimeInterval = 1e-6

    /// Reads a record.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let start = try container.decode(FileDate.self, forKey: .start).date
        let end: Date
        if let written = try container.decodeIfPresent(FileDate.self, forKey: .end) {
            end = written.date
        } else {
            end = start + (try container.decodeMilliseconds(.durationMilliseconds) ?? 0)
        }
        self.init(
            id: try container.decode(UInt64.self, forKey: .id),
            unit: try container.decodeIfPresent(UnitOfWork.Reference.self, forKey: .unit),
            attribution: try container.decodeIfPresent(Attribution.self, forKey: .attribution) ?? .none,
            start: start,
            end: end,
            redirectCount: try container.decodeIfPresent(Int.self, forKey: .redirectCount) ?? 0,
            transactions: try container.decode([Transaction].self, forKey: .transactions),
            failure: try container.decodeIfPresent(Failure.self, forKey: .failure),
            edges: try container.decodeIfPresent([Edge].self, forKey: .edges) ?? [],
            isExamined: try container.decodeIfPresent(Bool.self, forKey: .isExamined) ?? false,
            clockResolution: max(
                Self.fileResolution, try container.decodeMilliseconds(.clockResolutionMilliseconds) ?? 0),
            schedulingDelay: try container.decodeMilliseconds(.schedulingDelayMilliseconds))
    }

    /// Writes a record.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(unit, forKey: .unit)
        try container.encode(attribution, forKey: .attribution)
        try container.encode(FileDate(date: start), forKey: .start)
        try container.encode(FileDate(date: end), forKey: .end)
        try container.encodeMilliseconds(duration, .durationMilliseconds)
        try container.encode(redirectCount, forKey: .redirectCount)
        try container.encodeIfPresent(failure, forKey: .failure)
        try container.encodeMilliseconds(max(clockResolution, Self.fileResolution), .clockResolutionMilliseconds)
        try container.encodeMilliseconds(schedulingDelay, .schedulingDelayMilliseconds)
        try container.encode(transactions, forKey: .transactions)
        if !edges.isEmpty { try container.encode(edges, forKey: .edges) }
        if isExamined { try container.encode(true, forKey: .isExamined) }
    }
}

extension Transaction: Codable {
    private enum Key: String, CodingKey {
        case request, response, resourceFetchType, networkProtocolName, connectionID
        case fetchStartDate, domainLookupStartDate, domainLookupEndDate, connectStartDate
        case secureConnectionStartDate, secureConnectionEndDate, connectEndDate
        case requestStartDate, requestEndDate, responseStartDate, responseEndDate
        case isReusedConnection, isProxyConnection, isCellular, isExpensive, isConstrained, isMultipath
        case localAddress, localPort, remoteAddress, remotePort
        case negotiatedTLSProtocolVersion, negotiatedTLSCipherSuite, isResumedTLSSession
        case countOfRequestHeaderBytesSent, countOfRequestBodyBytesSent, countOfResponseHeaderBytesReceived
        case countOfResponseBodyBytesReceived, countOfResponseBodyBytesAfterDecoding
        case countOfResponseBodyBytesIfCompressed
        case requestBody, responseBody, requestOperation
    }

    private static let dates: [(Key, any WritableKeyPath<Transaction, Date?> & Sendable)] = [
        (.fetchStartDate, \.fetchStartDate),
        (.domainLookupStartDate, \.domainLookupStartDate), (.domainLookupEndDate, \.domainLookupEndDate),
        (.connectStartDate, \.connectStartDate),
        (.secureConnectionStartDate, \.secureConnectionStartDate),
        (.secureConnectionEndDate, \.secureConnectionEndDate),
        (.connectEndDate, \.connectEndDate),
        (.requestStartDate, \.requestStartDate), (.requestEndDate, \.requestEndDate),
        (.responseStartDate, \.responseStartDate), (.responseEndDate, \.responseEndDate),
    ]

    private static let counts: [(Key, any WritableKeyPath<Transaction, Int64?> & Sendable)] = [
        (.countOfRequestHeaderBytesSent, \.countOfRequestHeaderBytesSent),
        (.countOfRequestBodyBytesSent, \.countOfRequestBodyBytesSent),
        (.countOfResponseHeaderBytesReceived, \.countOfResponseHeaderBytesReceived),
        (.countOfResponseBodyBytesReceived, \.countOfResponseBodyBytesReceived),
        (.countOfResponseBodyBytesAfterDecoding, \.countOfResponseBodyBytesAfterDecoding),
        (.countOfResponseBodyBytesIfCompressed, \.countOfResponseBodyBytesIfCompressed),
    ]

    private static let flags: [(Key, any WritableKeyPath<Transaction, Bool?> & Sendable)] = [
        (.isReusedConnection, \.isReusedConnection), (.isProxyConnection, \.isProxyConnection),
        (.isResumedTLSSession, \.isResumedTLSSession),
        (.isCellular, \.isCellular), (.isExpensive, \.isExpensive),
        (.isConstrained, \.isConstrained), (.isMultipath, \.isMultipath),
    ]

    /// Reads a transaction.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            request: try container.decode(Request.self, forKey: .request),
            response: try container.decodeIfPresent(Response.self, forKey: .response),
            resourceFetchType: try container.decodeIfPresent(ResourceFetchType.self, forKey: .resourceFetchType)
                ?? .unknown)
        for (key, path) in Self.dates {
            self[keyPath: path] = try container.decodeIfPresent(FileDate.self, forKey: key)?.date
        }
        for (key, path) in Self.counts {
            // A negative count is what some writers put for unknown.
            self[keyPath: path] = try container.decodeIfPresent(Int64.self, forKey: key).flatMap { $0 < 0 ? nil : $0 }
        }
        for (key, path) in Self.flags { self[keyPath: path] = try container.decodeIfPresent(Bool.self, forKey: key) }
        networkProtocolName = try container.decodeIfPresent(String.self, forKey: .networkProtocolName)
        connectionID = try container.decodeIfPresent(String.self, forKey: .connectionID)
        localAddress = try container.decodeIfPresent(String.self, forKey: .localAddress)
        localPort = try container.decodeIfPresent(Int.self, forKey: .localPort)
        remoteAddress = try container.decodeIfPresent(String.self, forKey: .remoteAddress)
        remotePort = try container.decodeIfPresent(Int.self, forKey: .remotePort)
        negotiatedTLSProtocolVersion = try container.decodeIfPresent(UInt16.self, forKey: .negotiatedTLSProtocolVersion)
        negotiatedTLSCipherSuite = try container.decodeIfPresent(UInt16.self, forKey: .negotiatedTLSCipherSuite)
        requestBodyDigest = try container.decodeIfPresent(UInt64.self, forKey: .requestBody).map(BodyDigest.init)
        responseBodyDigest = try container.decodeIfPresent(UInt64.self, forKey: .responseBody).map(BodyDigest.init)
        requestOperationDigest = try container.decodeIfPresent(UInt64.self, forKey: .requestOperation).map(
            BodyDigest.init)
    }

    /// Writes a transaction.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(request, forKey: .request)
        try container.encodeIfPresent(response, forKey: .response)
        try container.encode(resourceFetchType, forKey: .resourceFetchType)
        for (key, path) in Self.dates {
            try container.encodeIfPresent(self[keyPath: path].map(FileDate.init), forKey: key)
        }
        for (key, path) in Self.counts { try container.encodeIfPresent(self[keyPath: path], forKey: key) }
        for (key, path) in Self.flags { try container.encodeIfPresent(self[keyPath: path], forKey: key) }
        try container.encodeIfPresent(networkProtocolName, forKey: .networkProtocolName)
        try container.encodeIfPresent(connectionID, forKey: .connectionID)
        try container.encodeIfPresent(localAddress, forKey: .localAddress)
        try container.encodeIfPresent(localPort, forKey: .localPort)
        try container.encodeIfPresent(remoteAddress, forKey: .remoteAddress)
        try container.encodeIfPresent(remotePort, forKey: .remotePort)
        try container.encodeIfPresent(negotiatedTLSProtocolVersion, forKey: .negotiatedTLSProtocolVersion)
        try container.encodeIfPresent(negotiatedTLSCipherSuite, forKey: .negotiatedTLSCipherSuite)
        if let key = BodyOrdinals.key, let ordinals = encoder.userInfo[key] as? BodyOrdinals {
            try container.encodeIfPresent(requestBodyDigest.map(ordinals.ordinal), forKey: .requestBody)
            try container.encodeIfPresent(responseBodyDigest.map(ordinals.ordinal), forKey: .responseBody)
            try container.encodeIfPresent(requestOperationDigest.map(ordinals.ordinal), forKey: .requestOperation)
        }
    }
}

/// A date as files write it.
private struct FileDate: Codable {
    var date: Date

    init(date: Date) { self.date = date }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = Timestamp.date(from: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text.prefix(40))\" is not an ISO 8601 date and time.")
        }
        self.date = date
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Timestamp.string(from: date))
    }
}

extension KeyedDecodingContainer {
    fileprivate func decodeMilliseconds(_ key: Key) throws -> TimeInterval? {
        guard let value = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        guard value.isFinite, value >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(key.stringValue) must be a number of at least 0.")
        }
        return value / 1000
    }
}

extension KeyedEncodingContainer {
    fileprivate mutating func encodeMilliseconds(_ seconds: TimeInterval?, _ key: Key) throws {
        guard let seconds, seconds.isFinite else { return }
        try encode((seconds * 1e6).rounded() / 1000, forKey: key)
    }
}
