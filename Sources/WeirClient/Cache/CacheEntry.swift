import WeirModel

/// What a cache's file holds for one URL: the responses without their bodies.
///
/// The format: `WEIRCACH`, the version, the payload's size (both 32 bits) and its checksum (64 bits), the payload. Numbers are
/// little-endian; texts and lists begin with their length in 32 bits. Whatever does not fit to the last byte is no entry.
struct CacheEntry: Equatable {
    /// Changed with the format: files of another version are not read, and swept away.
    static let version: UInt32 = 1
    /// The largest file that is read.
    static let sizeLimit: Int64 = 8 << 20

    private static let magic = Array("WEIRCACH".utf8)
    private static let headSize = 24

    var key: String
    var responses: [StoredResponse]

    init(key: String, responses: [StoredResponse]) {
        self.key = key
        self.responses = responses
    }

    /// Reads an entry; nil when the bytes are not exactly one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headSize, bytes.starts(with: Self.magic) else { return nil }
        var head = Reader(bytes[Self.magic.count..<Self.headSize])
        guard head.word() == Self.version, let size = head.word(), let checksum = head.long(),
            Int(exactly: size) == bytes.count - Self.headSize,
            bytes[Self.headSize...].withUnsafeBytes({ Checksum.of($0) }) == checksum
        else { return nil }
        var payload = Reader(bytes[Self.headSize...])
        guard let key = payload.text(), let responses = payload.list({ $0.response() }), payload.isAtEnd else {
            return nil
        }
        self.init(key: key, responses: responses)
    }

    var bytes: [UInt8] {
        var payload = Writer()
        payload.text(key)
        payload.list(responses) { $0.response($1) }
        var file = Writer()
        file.bytes = Self.magic
        file.word(Self.version)
        file.word(UInt32(clamping: payload.bytes.count))
        file.long(payload.bytes.withUnsafeBytes { Checksum.of($0) })
        return file.bytes + payload.bytes
    }
}

extension CacheEntry {
    fileprivate struct Writer {
        var bytes: [UInt8] = []

        mutating func word(_ value: UInt32) { withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) } }
        mutating func long(_ value: UInt64) { withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) } }
        mutating func raw(_ value: [UInt8]) {
            word(UInt32(clamping: value.count))
            bytes += value
        }
        mutating func text(_ value: String) { raw(Array(value.utf8)) }
        mutating func list<Element>(_ elements: [Element], _ write: (inout Writer, Element) -> Void) {
            word(UInt32(clamping: elements.count))
            for element in elements { write(&self, element) }
        }

        mutating func response(_ response: StoredResponse) {
            long(response.id)
            long(UInt64(bitPattern: Int64(response.status)))
            text(response.version)
            list(response.fields) {
                $0.text($1.name)
                $0.text($1.value)
            }
            long(response.requestTime.bitPattern)
            long(response.responseTime.bitPattern)
            list(response.selection) {
                $0.text($1.name)
                $0.list($1.value.map { [$0] } ?? []) { $0.text($1) }
            }
            list(response.credential.map { [$0] } ?? []) {
                $0.raw($1.salt)
                $0.raw($1.digest)
            }
            word(response.lacksBody ? 1 : 0)
            long(UInt64(bitPattern: response.bodyLength))
            long(response.bodyChecksum)
        }
    }

    fileprivate struct Reader {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func word() -> UInt32? { raw(4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } } }
        mutating func long() -> UInt64? { raw(8).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } } }
        mutating func raw(_ count: Int) -> ArraySlice<UInt8>? {
            guard count >= 0, count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        mutating func raw() -> [UInt8]? { word().flatMap { Int(exactly: $0) }.flatMap { raw($0) }.map(Array.init) }
        mutating func text() -> String? { raw().flatMap { String(validating: $0, as: UTF8.self) } }
        mutating func list<Element>(_ read: (inout Reader) -> Element?) -> [Element]? {
            // Each element has four bytes at least: a list cannot be longer than what is left.
            guard let count = word().flatMap({ Int(exactly: $0) }), count <= rest.count / 4 + 1 else { return nil }
            var elements: [Element] = []
            for _ in 0..<count {
                guard let element = read(&self) else { return nil }
                elements.append(element)
            }
            return elements
        }

        mutating func response() -> StoredResponse? {
            guard let id = long(), let status = long().map(Int64.init(bitPattern:)), (100...999).contains(status),
                let version = text(),
                let fields = list({ reader -> HeaderField? in
                    guard let name = reader.text(), let value = reader.text() else { return nil }
                    return HeaderField(name: name, value: value)
                }), let requestTime = long().map(Double.init(bitPattern:)),
                let responseTime = long().map(Double.init(bitPattern:)), requestTime.isFinite, responseTime.isFinite,
                let selection = list({ reader -> StoredResponse.Selection? in
                    guard let name = reader.text(), let value = reader.list({ $0.text() }) else { return nil }
                    return StoredResponse.Selection(name: name, value: value.first)
                }),
                let credential = list({ reader -> CacheCredential? in
                    guard let salt = reader.raw(), let digest = reader.raw() else { return nil }
                    return CacheCredential(salt: salt, digest: digest)
                }), let lacksBody = word(), let length = long().map(Int64.init(bitPattern:)), length >= 0,
                let checksum = long()
            else { return nil }
            return StoredResponse(
                id: id, status: Int(status), version: version, fields: fields, requestTime: requestTime,
                responseTime: responseTime, selection: selection, credential: credential.first,
                lacksBody: lacksBody != 0, bodyLength: length, bodyChecksum: checksum)
        }
    }
}
