#if canImport(CWeirBrotli)
import CWeirBrotli

// This file owns brotli's unsafety. Each wrapper creates one instance, destroys it in `deinit`, and gives its pointer to the
// library alone. Input and output pointers are used for the length of one call only.

/// Reads brotli data.
final class BrotliDecoder: StreamDecoding {
    private let state: OpaquePointer
    private(set) var isAtEnd = false

    init() throws(StreamFailure) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw .library(reason: "no memory for a decoder")
        }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int) {
        if isAtEnd {
            guard input.isEmpty else { throw .trailingData(consumed: 0) }
            return (0, 0)
        }
        var availableIn = input.count
        var nextIn = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var availableOut = output.count
        var nextOut = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = BrotliDecoderDecompressStream(state, &availableIn, &nextIn, &availableOut, &nextOut, nil)
        let consumed = input.count - availableIn
        if result == BROTLI_DECODER_RESULT_SUCCESS {
            isAtEnd = true
        } else if result == BROTLI_DECODER_RESULT_ERROR {
            let code = BrotliDecoderGetErrorCode(state)
            let reason = BrotliDecoderErrorString(code).map { String(cString: $0) } ?? "brotli error \(code.rawValue)"
            // The format's errors are -1 to -16 (and -19, a missing dictionary); beyond lie memory and misuse.
            guard (-19...(-1)).contains(code.rawValue) else { throw .library(reason: reason) }
            throw .corrupt(consumed: consumed, reason: reason)
        }
        return (consumed, output.count - availableOut)
    }
}

/// Writes brotli data.
final class BrotliEncoder: StreamEncoding {
    private let state: OpaquePointer

    init(quality: Int) throws(StreamFailure) {
        guard let state = BrotliEncoderCreateInstance(nil, nil, nil) else {
            throw .library(reason: "no memory for an encoder")
        }
        self.state = state
        guard BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, UInt32(clamping: quality)) != 0 else {
            throw .library(reason: "the quality was refused")
        }
    }

    deinit { BrotliEncoderDestroyInstance(state) }

    func step(
        _ input: UnsafeRawBufferPointer, flush: ContentEncoder.Flush, into output: UnsafeMutableRawBufferPointer
    ) throws(StreamFailure) -> (consumed: Int, produced: Int, isDone: Bool) {
        let operation =
            switch flush {
            case .none: BROTLI_OPERATION_PROCESS
            case .sync: BROTLI_OPERATION_FLUSH
            case .finish: BROTLI_OPERATION_FINISH
            }
        var availableIn = input.count
        var nextIn = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var availableOut = output.count
        var nextOut = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard
            BrotliEncoderCompressStream(state, operation, &availableIn, &nextIn, &availableOut, &nextOut, nil) != 0
        else { throw .library(reason: "the encoder refused its input") }
        let isFlushed = availableIn == 0 && BrotliEncoderHasMoreOutput(state) == 0
        let isDone = isFlushed && (flush != .finish || BrotliEncoderIsFinished(state) != 0)
        return (input.count - availableIn, output.count - availableOut, isDone)
    }
}
#endif
