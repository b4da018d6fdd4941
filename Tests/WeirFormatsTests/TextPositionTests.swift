import Foundation
import Testing
import WeirTestSupport

@testable import WeirFormats

@Suite struct TextPositionTests {
    @Test func anySplitCountsTheSame() {
        var bytes: [UInt8] = []
        var generator = SeededNumbers(seed: 7)
        for _ in 0..<3000 {
            switch Int.random(in: 0..<40, using: &generator) {
            case 0: bytes.append(0x0A)
            case 1: bytes += Array("é😀".utf8)
            default: bytes.append(UInt8.random(in: 0x20...0x7E, using: &generator))
            }
        }
        for length in stride(from: 0, through: bytes.count, by: 37) {
            let expected = bytes.withUnsafeBytes { JSONError.lineAndColumn(of: length, in: $0) }
            for cut in [0, length / 3, length] {
                var position = TextPosition()
                bytes.withUnsafeBytes { bytes in
                    position.advance(over: UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
                    position.advance(over: UnsafeRawBufferPointer(rebasing: bytes[cut..<length]))
                }
                #expect(position == TextPosition(offset: length, line: expected.line, column: expected.column))
            }
        }
    }

    /// More line breaks in a row than a lane of the counter holds.
    @Test func manyLines() {
        let bytes = [UInt8](repeating: 0x0A, count: 100_001)
        let position = bytes.withUnsafeBytes { TextPosition().advanced(over: $0) }
        #expect(position == TextPosition(offset: 100_001, line: 100_002, column: 1))
    }
}
