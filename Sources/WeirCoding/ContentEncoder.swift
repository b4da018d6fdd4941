/// Encodes a body as it is made.
///
/// One encoder makes one body. It is not safe to use from two threads at once.
package final class ContentEncoder {
    /// How much of what was taken must come out.
    package enum Flush: Sendable {
        /// What the encoder likes; it may keep everything for later.
        case none
        /// Everything, so that a reader can decode all that was taken so far. Costs some compression.
        case sync
        /// Everything, and the end of the data.
        case finish
    }

    /// The coding that it writes.
    package let coding: ContentCoding

    private let stream: any StreamEncoding
    private let buffer: UnsafeMutableRawBufferPointer
    private var isFinished = false
    private var failure: ContentCodingError?

    /// Makes an encoder.
    ///
    /// - Parameter level: within the coding's `levels`; nil for its `defaultLevel`.
    package init(_ coding: ContentCoding, level: Int? = nil) throws(ContentCodingError) {
        let level = level ?? coding.defaultLevel
        guard coding.levels.contains(level) else { throw .levelOutOfRange(coding, level: level) }
        self.coding = coding
        do throws(StreamFailure) {
            switch coding {
            case .gzip: stream = try ZlibEncoder(.gzip, level: level)
            case .deflate: stream = try ZlibEncoder(.zlib, level: level)
            case .br:
                #if canImport(CWeirBrotli)
                stream = try BrotliEncoder(quality: level)
                #else
                throw StreamFailure.unsupported
                #endif
            case .zstd:
                #if canImport(CWeirZstd)
                stream = try ZstdEncoder(level: level)
                #else
                throw StreamFailure.unsupported
                #endif
            }
        } catch {
            throw error.error(coding, offset: 0)
        }
        // Last, since `deinit` does not run for an initialiser that threw before.
        buffer = .allocate(byteCount: 32 * 1024, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Takes the next bytes of the body and returns what is ready to be sent, which may be nothing.
    ///
    /// After `.finish` it takes no more bytes; finishing again returns nothing.
    package func encode(_ input: UnsafeRawBufferPointer, flush: Flush) throws(ContentCodingError) -> [UInt8] {
        if let failure { throw failure }
        if isFinished {
            guard input.isEmpty else { throw .alreadyFinished(coding) }
            return []
        }
        var output: [UInt8] = []
        var rest = input
        while true {
            let step: (consumed: Int, produced: Int, isDone: Bool)
            do throws(StreamFailure) {
                step = try stream.step(rest, flush: flush, into: buffer)
            } catch {
                let wrapped = error.error(coding, offset: 0)
                failure = wrapped
                throw wrapped
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
            output.append(contentsOf: buffer[..<step.produced])
            if step.isDone { break }
            guard step.consumed > 0 || step.produced > 0 else {
                throw .libraryFailed(coding, reason: "it makes no progress")
            }
        }
        if flush == .finish { isFinished = true }
        return output
    }
}
