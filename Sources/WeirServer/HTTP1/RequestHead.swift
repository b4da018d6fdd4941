/// A request's line and fields as the bytes that arrived, with the places of their parts.
///
/// Nothing is copied out until it is asked for: most handlers look at the path and one field.
struct RequestHead: Sendable {
    /// A field: where its name and its trimmed value stand in ``bytes``.
    struct Field: Sendable {
        var name: Range<Int32>
        var value: Range<Int32>
    }

    enum Version: Sendable {
        case http10, http11, http2
    }

    /// How the body's end is found.
    enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    var bytes: [UInt8] = []
    var method: Range<Int32> = 0..<0
    var target: Range<Int32> = 0..<0
    var version = Version.http11
    var fields: [Field] = []
    var framing = Framing.none
    /// Whether the client lets the connection persist (RFC 9112, section 9.3).
    var keepsAlive = true
    /// Whether the client waits for `100 (Continue)`.
    var expectsContinue = false

    func slice(_ range: Range<Int32>) -> ArraySlice<UInt8> { bytes[Int(range.lowerBound)..<Int(range.upperBound)] }

    func text(_ range: Range<Int32>) -> String { String(decoding: slice(range), as: UTF8.self) }

    func methodIs(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { slice(method).elementsEqual($0) }
    }

    /// Calls `body` with the value of each field of that name, in order.
    func forEachValue(named name: String, _ body: (ArraySlice<UInt8>) -> Void) {
        var name = name
        name.withUTF8 { wanted in
            for field in fields where field.name.count == wanted.count {
                let same = zip(slice(field.name), wanted).allSatisfy { ASCII.lowercase($0) == ASCII.lowercase($1) }
                if same { body(slice(field.value)) }
            }
        }
    }
}
