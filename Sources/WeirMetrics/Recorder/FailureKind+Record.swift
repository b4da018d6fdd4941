package import WeirModel

extension FailureKind {
    /// The kind of a task's failure, by the codes of `NSURLErrorDomain`; by what browsers write for what was read from a HAR file.
    package init(_ failure: TaskRecord.Failure) {
        guard failure.domain == "NSURLErrorDomain" else {
            self = Self.named(in: failure.message)
            return
        }
        self.init(urlErrorCode: failure.code)
    }

    /// The kind that a code of `NSURLErrorDomain` stands for.
    package init(urlErrorCode code: Int) {
        switch code {
        case -999, -1012, -1013: self = code == -999 ? .cancelled : .other
        case -1001: self = .timeout
        case -1003, -1006: self = .nameLookup
        case -1004, -1009, -1018, -1019, -1020: self = .connect
        case -1005: self = .connectionLost
        case -1007, -1010: self = .redirects
        case -1011, -1014, -1015, -1016, -1017, -1103: self = .badResponse
        case -1206 ... -1200, -2000, -1022: self = .tls
        default: self = .other
        }
    }

    /// The kind that a browser's name of an error has in it, such as `net::ERR_NAME_NOT_RESOLVED` or `NS_ERROR_NET_TIMEOUT`.
    private static func named(in message: String) -> FailureKind {
        let words: [(String, FailureKind)] = [
            ("ABORTED", .cancelled), ("BINDING_ABORTED", .cancelled), ("TIMED_OUT", .timeout), ("TIMEOUT", .timeout),
            ("NAME_NOT_RESOLVED", .nameLookup), ("UNKNOWN_HOST", .nameLookup), ("CERT", .tls), ("SSL", .tls),
            ("CONNECTION_REFUSED", .connect), ("INTERNET_DISCONNECTED", .connect), ("ADDRESS_UNREACHABLE", .connect),
            ("OFFLINE", .connect), ("CONNECTION_RESET", .connectionLost), ("CONNECTION_CLOSED", .connectionLost),
            ("NET_RESET", .connectionLost), ("NET_INTERRUPT", .connectionLost), ("EMPTY_RESPONSE", .connectionLost),
            ("TOO_MANY_REDIRECTS", .redirects), ("REDIRECT_LOOP", .redirects), ("CONTENT_DECODING", .badResponse),
            ("INVALID_RESPONSE", .badResponse), ("INCOMPLETE_CHUNKED", .badResponse),
        ]
        let message = message.uppercased()
        return words.first { message.contains($0.0) }?.1 ?? .other
    }
}
