import WeirModel

/// What a cache knows of one stored response, apart from its body.
struct StoredResponse: Sendable, Equatable {
    /// A request field on which the response depends, and its value at that time (RFC 9111, section 4.1).
    struct Selection: Sendable, Equatable {
        /// In lower case.
        var name: String
        /// Nil when the request did not have the field.
        var value: String?
    }

    /// Tells the stored responses of one cache apart; names the body's file.
    var id: UInt64
    var status: Int
    /// As in `HTTP/1.1`.
    var version: String
    var fields: [HeaderField]
    /// When the request was sent, in seconds since 1970.
    var requestTime: Double
    /// When the response arrived, in seconds since 1970.
    var responseTime: Double
    var selection: [Selection]
    /// Whose response it is; nil when the request carried no credentials.
    var credential: CacheCredential?
    /// Whether the body was not kept, since the response is a redirect that was followed.
    var lacksBody: Bool
    /// The body as received, before its content coding was undone.
    var bodyLength: Int64 = 0
    var bodyChecksum: UInt64 = 0

    subscript(name: String) -> String? { fields[name] }

    /// The values of all fields of that name, as one (RFC 9110, section 5.3).
    func joined(_ name: String) -> String? { fields.joined(name) }
}

extension [HeaderField] {
    /// The values of all fields of that name, joined by commas; nil when there is none.
    func joined(_ name: String) -> String? {
        var result: String?
        for field in self where field.isNamed(name) {
            result = result.map { $0 + ", " + field.value } ?? field.value
        }
        return result
    }
}

/// Whose credentials a request carried, as a salted digest: a cache on disk holds no credential.
struct CacheCredential: Sendable, Equatable {
    var salt: [UInt8]
    var digest: [UInt8]

    init(salt: [UInt8], digest: [UInt8]) {
        self.salt = salt
        self.digest = digest
    }

    /// A digest with a salt of its own.
    init(_ credentials: String) {
        salt = (0..<16).map { _ in .random(in: 0 ... .max) }
        digest = SHA256.digest(salt + Array(credentials.utf8))
    }

    func matches(_ credentials: String) -> Bool { SHA256.digest(salt + Array(credentials.utf8)) == digest }
}
