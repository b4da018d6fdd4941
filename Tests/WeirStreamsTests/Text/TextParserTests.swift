import Testing
import WeirStreams
import WeirTestSupport

@Suite struct TextParserTests {
    @Test(
        arguments: [
            Array("héllo 😀 wörld \u{2028}".utf8), [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x9F, 0x98, 0xF0, 0x9F, 0x98, 0x80],
            [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3, 0xC3, 0xA9], [0x80, 0xBF, 0x41], [0xE0, 0x9F, 0xBF],
            [0xF1, 0x80, 0x80, 0xC3, 0xA9],
            [0xFF, 0xFE, 0xC0, 0xC1], [0xEF, 0xBB, 0xBF, 0x61], [],
        ] as [[UInt8]])
    func textIsThatOfTheWholeAtEverySplit(_ bytes: [UInt8]) {
        let whole = String(decoding: bytes, as: UTF8.self)
        #expect(Array(whole.unicodeScalars) == ReferenceSSE.decode(bytes))
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let found = Transcript(TextParser(), [bytes[..<first], bytes[first..<second], bytes[second...]])
                #expect(Array(found.messages.joined().unicodeScalars) == Array(whole.unicodeScalars))
                #expect(found.messages.allSatisfy { !$0.isEmpty })
            }
        }
        let single = Transcript(TextParser(), bytes.indices.map { bytes[$0...$0] })
        #expect(Array(single.messages.joined().unicodeScalars) == Array(whole.unicodeScalars))
    }

    @Test func randomBytesAreDecodedAsAWhole() {
        var random = SeededNumbers(seed: 9)
        let parts: [[UInt8]] = [
            [0x41], [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80], [0xE2], [0xF0, 0x9F], [0x80],
            [0xED, 0xA0], [0xFF],
        ]
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...30, using: &random)).flatMap { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }
            let found = Transcript(TextParser(), random.split(bytes)).messages.joined()
            #expect(Array(found.unicodeScalars) == ReferenceSSE.decode(bytes), "\(bytes)")
        }
    }
}
