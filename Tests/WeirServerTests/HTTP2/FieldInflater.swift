#if os(Linux)
import CWeirLibnghttp2

/// HPACK's decoder (RFC 7541) of nghttp2, for the heads that a client in tests receives.
final class FieldInflater {
    struct Failure: Error {}

    private var handle: OpaquePointer?

    init() throws {
        guard nghttp2_hd_inflate_new(&handle) == 0 else { throw Failure() }
    }

    deinit { nghttp2_hd_inflate_del(handle) }

    func inflate(_ block: [UInt8]) throws -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        var position = 0
        while true {
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let count = block.withUnsafeBufferPointer { bytes in
                nghttp2_hd_inflate_hd2(
                    handle, &field, &flags, bytes.baseAddress.map { $0 + position }, bytes.count - position, 1)
            }
            guard count >= 0 else { throw Failure() }
            position += count
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                let name = UnsafeBufferPointer(start: field.name, count: field.namelen)
                let value = UnsafeBufferPointer(start: field.value, count: field.valuelen)
                fields.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                nghttp2_hd_inflate_end_headers(handle)
                return fields
            }
            if position == block.count, flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) == 0 { throw Failure() }
        }
    }
}
#endif
