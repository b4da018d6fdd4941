import WeirCoding
import WeirTestSupport

enum Bodies {
    /// Text that compresses as answers of servers do.
    static func json(_ count: Int) -> [UInt8] {
        var text: [UInt8] = []
        var index = 0
        while text.count < count {
            text += Array(
                "{\"id\":\(index),\"title\":\"Book number \(index &* 7919)\",\"ok\":\(index % 3 == 0)}\n".utf8)
            index += 1
        }
        return Array(text.prefix(count))
    }

    static func noise(_ count: Int) -> [UInt8] {
        var generator = SeededNumbers(seed: UInt64(count))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}

/// Feeds a decoder in pieces, with an output buffer of the given size, and finishes.
func decode(
    _ bytes: [UInt8], with decoder: ContentDecoder, pieces: [Int], outputSize: Int = 4096
) throws -> [UInt8] {
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputSize, alignment: 1)
    defer { output.deallocate() }
    var result: [UInt8] = []
    try bytes.withUnsafeBytes { all in
        var start = 0
        for piece in pieces + [bytes.count] {
            let end = min(bytes.count, start + piece)
            var rest = UnsafeRawBufferPointer(rebasing: all[start..<end])
            start = end
            while true {
                let progress = try decoder.decode(rest, into: output)
                result += output[..<progress.produced]
                rest = UnsafeRawBufferPointer(rebasing: rest[progress.consumed...])
                if rest.isEmpty, progress.produced < outputSize { break }
                if progress.consumed == 0, progress.produced == 0 { throw Stuck() }
            }
        }
    }
    try decoder.finish()
    return result
}

/// A decoder broke its promise: it neither took nor gave anything.
struct Stuck: Error {}

/// Encodes in pieces.
func encode(
    _ bytes: [UInt8], _ coding: ContentCoding, pieces: [Int], flush: ContentEncoder.Flush = .none
) throws -> [UInt8] {
    let encoder = try ContentEncoder(coding)
    var result: [UInt8] = []
    try bytes.withUnsafeBytes { all in
        var start = 0
        for piece in pieces {
            let end = min(bytes.count, start + piece)
            result += try encoder.encode(UnsafeRawBufferPointer(rebasing: all[start..<end]), flush: flush)
            start = end
        }
        result += try encoder.encode(UnsafeRawBufferPointer(rebasing: all[start...]), flush: .finish)
    }
    return result
}
