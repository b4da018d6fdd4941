/// Decodes a body as it arrives, in bounded memory.
///
/// However the input is split, the output is the same. What it accepts, by coding:
/// - `gzip`: any number of members in a row. Bytes after the last one that do not begin another (`1F 8B`) are ignored, as
///   browsers and gzip(1) do; `ignoredTrailingBytes` counts them.
/// - `deflate`: zlib data or bare DEFLATE data, told apart by the first two bytes. Bytes after the end are ignored and counted.
/// - `br`: bytes after the end are an error, as in curl.
/// - `zstd`: any number of frames in a row, skippable ones too; anything else after a frame is an error. A window above 8 MB is
///   an error (RFC 9659). Frames that need a dictionary are an error.
///
/// No input at all is an empty body: answers without a body often keep their Content-Encoding. Checksums are verified where
/// the format has them. One decoder decodes one body. It is not safe to use from two threads at once.
package final class ContentDecoder {
    /// What one call did.
    package struct Progress: Sendable, Hashable {
        /// Bytes of the input that were taken.
        package var consumed: Int
        /// Bytes of the output that were written.
        package var produced: Int
        /// Whether the data could end here; a further gzip member or zstd frame may still follow.
        package var isFinished: Bool
    }

    /// The coding that it reads: the first one of a chain, the one that was applied first.
    package let coding: ContentCoding
    /// The largest size of the output, in bytes.
    package let outputLimit: Int64
    /// How many bytes it has taken of its own coding's data.
    package private(set) var inputCount: Int64 = 0
    /// How many bytes it has given.
    package private(set) var outputCount: Int64 = 0

    private let stream: any StreamDecoding
    private var failure: ContentCodingError?
    /// The decoder that this one's input comes from, when codings are chained.
    private let source: ContentDecoder?
    /// What the source gave and this decoder has not taken yet.
    private let middle: UnsafeMutableRawBufferPointer?
    private var pending = 0..<0

    /// Makes a decoder of one coding.
    ///
    /// - Parameter outputLimit: the largest size of the output, in bytes; one byte more is `limitExceeded`.
    package convenience init(_ coding: ContentCoding, outputLimit: Int64) throws(ContentCodingError) {
        try self.init(coding, outputLimit: outputLimit, source: nil)
    }

    /// Makes a decoder of codings that were applied in this order, as `ContentCoding.chain(header:)` gives them; nil when
    /// there are none.
    ///
    /// What lies between two codings is limited too, to a little more than `outputLimit`.
    package convenience init?(chain: [ContentCoding], outputLimit: Int64) throws(ContentCodingError) {
        guard let first = chain.first else { return nil }
        let slack = max(outputLimit / 8, 64 * 1024)
        let (sum, overflow) = outputLimit.addingReportingOverflow(slack)
        let source = try ContentDecoder(chain: Array(chain.dropFirst()), outputLimit: overflow ? .max : sum)
        try self.init(first, outputLimit: outputLimit, source: source)
    }

    private init(_ coding: ContentCoding, outputLimit: Int64, source: ContentDecoder?) throws(ContentCodingError) {
        self.coding = coding
        self.outputLimit = max(0, outputLimit)
        self.source = source
        do throws(StreamFailure) {
            switch coding {
            case .gzip: stream = try GzipDecoder()
            case .deflate: stream = try DeflateDecoder()
            case .br:
                #if canImport(CWeirBrotli)
                stream = try BrotliDecoder()
                #else
                throw StreamFailure.unsupported
                #endif
            case .zstd:
                #if canImport(CWeirZstd)
                stream = try ZstdDecoder()
                #else
                throw StreamFailure.unsupported
                #endif
            }
        } catch {
            throw error.error(coding, offset: 0)
        }
        middle = source == nil ? nil : .allocate(byteCount: 16 * 1024, alignment: 16)
    }

    deinit { middle?.deallocate() }

    /// Bytes after the end of the data that were passed over (gzip and deflate only).
    package var ignoredTrailingBytes: Int64 {
        (stream as? any TrailingBytesIgnoring)?.ignoredTrailingBytes ?? 0
    }

    /// Whether the data could end here.
    package var isFinished: Bool {
        (stream.isAtEnd || inputCount == 0) && pending.isEmpty && (source?.isFinished ?? true)
    }

    /// Decodes what it can of the input into the output.
    ///
    /// When it returns, the input is all taken or the output is full. When the output is full there may be more: call again,
    /// with the rest of the input or with none, until it is not. After an error every further call throws the same error.
    /// - Parameter output: not empty.
    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Progress {
        if let failure { throw failure }
        do throws(ContentCodingError) {
            guard let source, let middle else { return try decodeOwn(input, into: output) }
            return try decode(input, through: source, middle, into: output)
        } catch {
            failure = error
            throw error
        }
    }

    /// Says that there is no more input; throws `incomplete` when the data should have gone on.
    ///
    /// All output must have been taken before.
    package func finish() throws(ContentCodingError) {
        if let failure { throw failure }
        try source?.finish()
        if inputCount == 0 { return }
        if !stream.isAtEnd {
            // With an output that was full to the byte, the end may be known to the library and not yet seen.
            _ = try decodeOwn(UnsafeRawBufferPointer(start: nil, count: 0), into: .init(start: nil, count: 0))
        }
        guard stream.isAtEnd, pending.isEmpty else {
            let error = ContentCodingError.incomplete(coding, offset: inputCount)
            failure = error
            throw error
        }
    }

    private func decodeOwn(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Progress {
        // One byte more than is allowed, so that going over the limit shows.
        let allowed = Int(clamping: outputLimit - outputCount)
        let capacity = output.count > allowed ? allowed + 1 : output.count
        var consumed = 0
        var produced = 0
        repeat {
            let step: (consumed: Int, produced: Int)
            do throws(StreamFailure) {
                step = try stream.step(
                    UnsafeRawBufferPointer(rebasing: input[consumed...]),
                    into: UnsafeMutableRawBufferPointer(rebasing: output[produced..<capacity]))
            } catch {
                throw error.error(coding, offset: inputCount)
            }
            consumed += step.consumed
            produced += step.produced
            inputCount += Int64(step.consumed)
            outputCount += Int64(step.produced)
            guard outputCount <= outputLimit else {
                throw .limitExceeded(coding, offset: inputCount, limit: outputLimit)
            }
            if step.consumed == 0, step.produced == 0 { break }
        } while consumed < input.count && produced < capacity
        return Progress(consumed: consumed, produced: produced, isFinished: isFinished)
    }

    private func decode(
        _ input: UnsafeRawBufferPointer, through source: ContentDecoder, _ middle: UnsafeMutableRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Progress {
        var consumed = 0
        var produced = 0
        while true {
            let own = try decodeOwn(
                UnsafeRawBufferPointer(rebasing: middle[pending]),
                into: UnsafeMutableRawBufferPointer(rebasing: output[produced...]))
            pending = (pending.lowerBound + own.consumed)..<pending.upperBound
            produced += own.produced
            if produced == output.count { break }
            let outer = try source.decode(UnsafeRawBufferPointer(rebasing: input[consumed...]), into: middle)
            consumed += outer.consumed
            pending = 0..<outer.produced
            if outer.produced == 0 { break }
        }
        return Progress(consumed: consumed, produced: produced, isFinished: isFinished)
    }
}

extension ContentDecoder {
    /// Decodes all of the input, appending what comes out.
    package func decode(
        _ input: UnsafeRawBufferPointer, appendingTo output: inout [UInt8]
    ) throws(ContentCodingError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var rest = input
        while true {
            let progress = try decode(rest, into: buffer)
            output.append(contentsOf: buffer[..<progress.produced])
            rest = UnsafeRawBufferPointer(rebasing: rest[progress.consumed...])
            if rest.isEmpty, progress.produced < buffer.count { return }
        }
    }

    /// Decodes a whole body and finishes.
    package func decodeAll(_ bytes: [UInt8]) throws(ContentCodingError) -> [UInt8] {
        var output: [UInt8] = []
        var failure: ContentCodingError?
        bytes.withUnsafeBytes { input in
            do throws(ContentCodingError) {
                try decode(input, appendingTo: &output)
                try finish()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return output
    }
}
