#if canImport(CWeirNghttp2)
import CWeirNghttp2
import WeirModel

// This file owns nghttp2's unsafety. A session is made in the initializer and freed in `deinit`; its pointer is not given away.
// The connection that takes part in a call is handed to the callbacks inside of it, unretained: the caller holds it, and
// nothing is kept of it after the call. Memory that nghttp2 lends is used before the callback, or the next call, returns.

extension HTTP2Frame {
    fileprivate init(_ frame: weir_h2_frame) {
        self.init(
            type: frame.type, flags: frame.flags, stream: frame.stream, length: frame.length,
            dataLength: frame.data_length, beginsRequest: frame.begins_request != 0, code: frame.code)
    }
}

/// The server's side of HTTP/2's framing, over memory.
final class HTTP2Session {
    static var isAvailable: Bool { true }

    private let handle: OpaquePointer

    /// Nil when memory runs out.
    init?(_ options: LocalServer.HTTP2, limits: LocalServer.Limits) {
        var callbacks = weir_h2_callbacks(
            begin_fields: { context, stream, begins in
                HTTP2Session.connection(context).beginFields(of: stream, beginsRequest: begins != 0) ? 0 : 1
            },
            field: { context, stream, name, nameCount, value, valueCount in
                let name = UnsafeBufferPointer(start: name, count: nameCount)
                let value = UnsafeBufferPointer(start: value, count: valueCount)
                return HTTP2Session.connection(context).take(name: name, value: value, of: stream) ? 0 : 1
            },
            frame: { context, frame in HTTP2Session.connection(context).take(HTTP2Frame(frame.pointee)) },
            data: { context, stream, bytes, count in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
                HTTP2Session.connection(context).take(data: bytes, of: stream)
            },
            closed: { context, stream, code in HTTP2Session.connection(context).closed(stream, code: code) },
            sent: { context, frame in HTTP2Session.connection(context).sent(HTTP2Frame(frame.pointee)) },
            read: { context, stream, room, size, end in
                let room = UnsafeMutableRawBufferPointer(start: room, count: size)
                switch HTTP2Session.connection(context).fill(room, of: stream) {
                case .nothing: return Int(WEIR_H2_DEFER)
                case .bytes(let count, let kind):
                    end.pointee = kind.rawValue
                    return count
                }
            },
            invalid: { context, stream, reason in
                HTTP2Session.connection(context).tookInvalid(stream, reason: String(cString: reason))
            })
        var settings = weir_h2_settings(
            concurrent_streams: UInt32(clamping: max(1, options.concurrentStreams)),
            stream_window: UInt32(clamping: min(max(0, options.streamWindow), 0x7FFF_FFFF)),
            // What all streams may send before the server asks for more; it is given back at once.
            connection_window: UInt32(clamping: min(max(1 << 20, options.streamWindow), 0x7FFF_FFFF)),
            frame_size: UInt32(clamping: min(max(16_384, options.frameSize), 0xFF_FFFF)),
            field_section_size: UInt32(clamping: max(0, limits.headerBlock)))
        guard let handle = weir_h2_make(&callbacks, &settings) else { return nil }
        self.handle = handle
    }

    deinit { weir_h2_free(handle) }

    /// The connection of the call that runs.
    private static func connection(_ context: UnsafeMutableRawPointer) -> HTTP2Connection {
        Unmanaged<HTTP2Connection>.fromOpaque(context).takeUnretainedValue()
    }

    private static func context(_ connection: HTTP2Connection) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(connection).toOpaque()
    }

    /// Takes bytes from the network; the reason when the connection cannot go on.
    func receive(_ bytes: UnsafeRawBufferPointer, for connection: HTTP2Connection) -> String? {
        // Even a call with nothing is one that nghttp2 counts while it waits for a CONTINUATION.
        guard !bytes.isEmpty, let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return nil }
        let result = weir_h2_receive(handle, Self.context(connection), base, bytes.count)
        return result == 0 ? nil : String(cString: weir_h2_text(result))
    }

    /// The next bytes for the network; empty when there are none.
    func send(for connection: HTTP2Connection) -> [UInt8] {
        var bytes: UnsafePointer<UInt8>?
        let count = weir_h2_send(handle, Self.context(connection), &bytes)
        guard count > 0, let bytes else { return [] }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Whether there is anything left to read or send.
    var isAlive: Bool { weir_h2_is_alive(handle) != 0 }

    private func with(_ block: FieldBlock, _ body: (weir_h2_fields) -> Int32) -> Bool {
        block.bytes.withUnsafeBufferPointer { bytes in
            block.lengths.withUnsafeBufferPointer { lengths in
                guard let bytes = bytes.baseAddress, let base = lengths.baseAddress else { return false }
                return body(weir_h2_fields(bytes: bytes, lengths: base, count: block.count)) == 0
            }
        }
    }

    // What follows puts something into the queue; false, or nothing, when the stream is gone.

    func submitInformational(_ block: FieldBlock, to stream: Int32) -> Bool {
        with(block) { weir_h2_submit_informational(handle, stream, $0) }
    }

    func submitHead(_ block: FieldBlock, to stream: Int32, hasBody: Bool) -> Bool {
        with(block) { weir_h2_submit_head(handle, stream, $0, hasBody ? 1 : 0) }
    }

    func submitTrailers(_ block: FieldBlock, to stream: Int32) -> Bool {
        with(block) { weir_h2_submit_trailers(handle, stream, $0) }
    }

    func reset(_ stream: Int32, code: UInt32) { _ = weir_h2_submit_reset(handle, stream, code) }

    /// GOAWAY with the last stream that is served, the latest one if it is nil.
    func goAway(last: Int32?, code: UInt32, text: String = "") {
        text.withCString { _ = weir_h2_submit_goaway(handle, last ?? -1, code, $0) }
    }

    func resume(_ stream: Int32) { _ = weir_h2_resume(handle, stream) }

    func giveBack(_ count: Int) { _ = weir_h2_consume_connection(handle, max(0, count)) }

    func giveBack(_ count: Int, of stream: Int32) { _ = weir_h2_consume_stream(handle, stream, max(0, count)) }
}
#else
/// Where there is no nghttp2, as on Apple platforms, there are no sessions: this cannot be made.
final class HTTP2Session {
    static var isAvailable: Bool { false }

    init?(_ options: LocalServer.HTTP2, limits: LocalServer.Limits) { return nil }

    func receive(_ bytes: UnsafeRawBufferPointer, for connection: HTTP2Connection) -> String? { nil }
    func send(for connection: HTTP2Connection) -> [UInt8] { [] }
    var isAlive: Bool { false }
    func submitInformational(_ block: FieldBlock, to stream: Int32) -> Bool { false }
    func submitHead(_ block: FieldBlock, to stream: Int32, hasBody: Bool) -> Bool { false }
    func submitTrailers(_ block: FieldBlock, to stream: Int32) -> Bool { false }
    func reset(_ stream: Int32, code: UInt32) {}
    func goAway(last: Int32?, code: UInt32, text: String = "") {}
    func resume(_ stream: Int32) {}
    func giveBack(_ count: Int) {}
    func giveBack(_ count: Int, of stream: Int32) {}
}
#endif
