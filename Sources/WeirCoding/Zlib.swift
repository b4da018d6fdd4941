import CWeirZlib

/// The containers of DEFLATE data, as zlib's window bits name them.
enum ZlibFormat {
    case gzip, zlib, raw

    var windowBits: Int32 {
        switch self {
        case .gzip: 15 + 16
        case .zlib: 15
        case .raw: -15
        }
    }
}

// This file owns zlib's unsafety. A `z_stream` must stay where it was initialised, since its inner state points back to it:
// each wrapper allocates one, initialises it once, ends and frees it in `deinit`, and never gives the pointer away. Input
// and output pointers are set for the length of one call only.

/// Inflates one zlib stream, again and again after `reset`.
final class ZlibInflater {
    enum Outcome {
        case more, end
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

    init(_ format: ZlibFormat) throws(StreamFailure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, format.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // On failure zlib has freed what it took, and `inflateEnd` in `deinit` refuses an empty state harmlessly.
        guard status == Z_OK else { throw .library(reason: Self.message(stream, status)) }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        nothing.deallocate()
    }

    /// Begins a new stream.
    func reset(_ format: ZlibFormat) throws(StreamFailure) {
        let status = inflateReset2(stream, format.windowBits)
        guard status == Z_OK else { throw .library(reason: Self.message(stream, status)) }
    }

    /// Inflates what it can.
    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int, outcome: Outcome) {
        let offered = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        // zlib reads through `next_in` and does not write: its type lacks `const` only for compatibility.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(nothing))
        stream.pointee.avail_in = offered
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
        stream.pointee.avail_out = room
        let status = inflate(stream, Z_NO_FLUSH)
        let consumed = Int(offered - stream.pointee.avail_in)
        let produced = Int(room - stream.pointee.avail_out)
        switch status {
        case Z_OK, Z_BUF_ERROR: return (consumed, produced, .more)
        case Z_STREAM_END: return (consumed, produced, .end)
        case Z_NEED_DICT: throw .corrupt(consumed: consumed, reason: "a preset dictionary is needed")
        case Z_DATA_ERROR: throw .corrupt(consumed: consumed, reason: Self.message(stream, status))
        default: throw .library(reason: Self.message(stream, status))
        }
    }

    fileprivate static func message(_ stream: UnsafeMutablePointer<z_stream>, _ status: Int32) -> String {
        if let message = stream.pointee.msg { return String(cString: message) }
        guard let message = zError(status) else { return "zlib error \(status)" }
        return String(cString: message)
    }
}

/// Writes gzip or zlib data.
final class ZlibEncoder: StreamEncoding {
    private let stream: UnsafeMutablePointer<z_stream>
    private let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

    init(_ format: ZlibFormat, level: Int) throws(StreamFailure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, Int32(clamping: level), Z_DEFLATED, format.windowBits, 8, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw .library(reason: ZlibInflater.message(stream, status)) }
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        nothing.deallocate()
    }

    func step(
        _ input: UnsafeRawBufferPointer, flush: ContentEncoder.Flush, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int, isDone: Bool) {
        let offered = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        // Only the last part of an input above 4 GiB may carry the flush.
        let isWhole = Int(offered) == input.count
        let mode =
            switch flush {
            case .sync where isWhole: Z_SYNC_FLUSH
            case .finish where isWhole: Z_FINISH
            default: Z_NO_FLUSH
            }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(nothing))
        stream.pointee.avail_in = offered
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
        stream.pointee.avail_out = room
        let status = deflate(stream, mode)
        let consumed = Int(offered - stream.pointee.avail_in)
        let produced = Int(room - stream.pointee.avail_out)
        switch status {
        case Z_STREAM_END: return (consumed, produced, true)
        case Z_OK, Z_BUF_ERROR:
            let isDone = flush != .finish && consumed == input.count && stream.pointee.avail_out > 0
            return (consumed, produced, isDone)
        default: throw .library(reason: ZlibInflater.message(stream, status))
        }
    }
}
