#if canImport(CWeirZstd)
import CWeirZstd

// This file owns zstd's unsafety. Each wrapper creates one context, frees it in `deinit`, and gives its pointer to the
// library alone. Input and output pointers are used for the length of one call only.

/// Reads zstd frames in a row.
///
/// Each frame's header is read here first (`ZstdFrameHeader`) and given to the library by itself. That keeps the library on
/// one path: given a whole frame at once it takes a shortcut that skips the check of the window, so that what is accepted
/// would depend on how the input was split.
final class ZstdDecoder: StreamDecoding {
    private let context: OpaquePointer
    private var header = ZstdFrameHeader()
    private var isInFrame = false
    private var hasReadFrame = false

    init() throws(StreamFailure) {
        guard let context = ZSTD_createDCtx() else { throw .library(reason: "no memory for a decoder") }
        self.context = context
        let status = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZstdFrameHeader.windowLogLimit)
        guard ZSTD_isError(status) == 0 else { throw .library(reason: Self.name(of: status)) }
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Between frames; the decoder asks only after there was input.
    var isAtEnd: Bool { !isInFrame && header.isEmpty && hasReadFrame }

    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int) {
        if isInFrame { return try decompress(input, into: output) }
        for (index, byte) in input.enumerated() {
            switch header.take(byte) {
            case .needsMore: continue
            case .notAFrame:
                if hasReadFrame, header.count <= 4 { throw .trailingData(consumed: index) }
                throw .corrupt(consumed: index, reason: "not the beginning of a zstd frame")
            case .windowTooLarge(let size):
                throw .windowTooLarge(window: size, limit: ZstdFrameHeader.windowLimit)
            case .complete:
                isInFrame = true
                let bytes = header.bytes
                header = ZstdFrameHeader()
                var result: Result<Void, StreamFailure> = .success(())
                bytes.withUnsafeBytes { bytes in
                    do throws(StreamFailure) {
                        _ = try decompress(bytes, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
                    } catch {
                        result = .failure(error)
                    }
                }
                try result.get()
                return (index + 1, 0)
            }
        }
        return (input.count, 0)
    }

    private func decompress(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int) {
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let status = ZSTD_decompressStream(context, &room, &input)
        if ZSTD_isError(status) != 0 {
            let code = ZSTD_getErrorCode(status)
            // Steps without input only bring out what is held back; the library calls repeating them an error.
            if bytes.isEmpty { return (0, room.pos) }
            if code == ZSTD_error_memory_allocation { throw .library(reason: Self.name(of: status)) }
            throw .corrupt(consumed: input.pos, reason: Self.name(of: status))
        }
        if status == 0 {
            isInFrame = false
            hasReadFrame = true
        }
        return (input.pos, room.pos)
    }

    fileprivate static func name(of status: Int) -> String {
        String(cString: ZSTD_getErrorName(status))
    }
}

/// Writes one zstd frame, without a checksum, as servers do.
final class ZstdEncoder: StreamEncoding {
    private let context: OpaquePointer

    init(level: Int) throws(StreamFailure) {
        guard let context = ZSTD_createCCtx() else { throw .library(reason: "no memory for an encoder") }
        self.context = context
        try set(ZSTD_c_compressionLevel, Int32(clamping: level))
        // From level 20 on the library's own choice of window is above what HTTP allows.
        if level > 19 { try set(ZSTD_c_windowLog, ZstdFrameHeader.windowLogLimit) }
    }

    deinit { ZSTD_freeCCtx(context) }

    func step(
        _ input: UnsafeRawBufferPointer, flush: ContentEncoder.Flush, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int, isDone: Bool) {
        let directive =
            switch flush {
            case .none: ZSTD_e_continue
            case .sync: ZSTD_e_flush
            case .finish: ZSTD_e_end
            }
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let remaining = ZSTD_compressStream2(context, &room, &source, directive)
        guard ZSTD_isError(remaining) == 0 else { throw .library(reason: ZstdDecoder.name(of: remaining)) }
        let isDone = source.pos == input.count && (remaining == 0 || flush == .none)
        return (source.pos, room.pos, isDone)
    }

    private func set(_ parameter: ZSTD_cParameter, _ value: Int32) throws(StreamFailure) {
        let status = ZSTD_CCtx_setParameter(context, parameter, value)
        guard ZSTD_isError(status) == 0 else { throw .library(reason: ZstdDecoder.name(of: status)) }
    }
}
#endif
