/// A frame as it is told of.
struct HTTP2Frame: Equatable {
    var type: UInt8
    var flags: UInt8
    var stream: Int32
    var length: Int
    /// Of DATA, the length without padding.
    var dataLength = 0
    /// Of HEADERS, whether they begin a request.
    var beginsRequest = false
    var code: UInt32 = 0

    var endsStream: Bool { flags & 1 != 0 && (type == Self.data || type == Self.headers) }
    var isAcknowledgement: Bool { flags & 1 != 0 }

    static var data: UInt8 { 0 }
    static var headers: UInt8 { 1 }
    static var priority: UInt8 { 2 }
    static var reset: UInt8 { 3 }
    static var settings: UInt8 { 4 }
    static var ping: UInt8 { 6 }
    static var goAway: UInt8 { 7 }
    static var pushPromise: UInt8 { 5 }
    static var windowUpdate: UInt8 { 8 }
    static var continuation: UInt8 { 9 }
}

/// What a body has to give when nghttp2 asks for it.
enum HTTP2Fill {
    /// Nothing before ``HTTP2Session/resume(_:)``.
    case nothing
    case bytes(Int, end: End)

    enum End: Int32 {
        case more = 0
        case last = 1
        /// The trailers were submitted.
        case trailersFollow = 2
    }
}
