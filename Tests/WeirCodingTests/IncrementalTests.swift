import Testing
import WeirCoding
import WeirTestSupport

@Suite struct IncrementalTests {
    @Test(arguments: Fixture.all) func everySplitInTwoGivesTheSame(_ fixture: Fixture) throws {
        let bytes = try fixture.bytes
        for cut in 0...bytes.count {
            let decoder = try ContentDecoder(fixture.coding, outputLimit: Int64(Fixture.body.count))
            #expect(try decode(bytes, with: decoder, pieces: [cut]) == Fixture.body, "cut at \(cut)")
            #expect(decoder.isFinished)
            #expect(decoder.inputCount == Int64(bytes.count))
            #expect(decoder.outputCount == Int64(Fixture.body.count))
        }
    }

    @Test(arguments: Fixture.all, [1, 2, 3, 5, 64, 1780, 1781])
    func everyPieceAndOutputSizeGivesTheSame(_ fixture: Fixture, _ outputSize: Int) throws {
        let bytes = try fixture.bytes
        for size in [1, 2, 3, 4, 7, 9, 31, 200] {
            let decoder = try ContentDecoder(fixture.coding, outputLimit: .max)
            let pieces = [Int](repeating: size, count: bytes.count / size)
            #expect(try decode(bytes, with: decoder, pieces: pieces, outputSize: outputSize) == Fixture.body)
        }
    }

    @Test(arguments: ContentCoding.allCases) func randomSplitsOfLargeBodiesGiveTheSame(_ coding: ContentCoding) throws {
        var generator = SeededNumbers(seed: 42)
        let body = Bodies.json(700_000) + Bodies.noise(100_000) + Bodies.json(200_000)
        let encoded = try coding.encode(body)
        for _ in 0..<12 {
            var pieces: [Int] = []
            var left = encoded.count
            while left > 0 {
                let piece = Int.random(in: 0...Int.random(in: 1...70_000, using: &generator), using: &generator)
                pieces.append(piece)
                left -= piece
            }
            let decoder = try ContentDecoder(coding, outputLimit: Int64(body.count))
            let outputSize = Int.random(in: 1...100_000, using: &generator)
            #expect(try decode(encoded, with: decoder, pieces: pieces, outputSize: outputSize) == body)
        }
    }

    @Test(arguments: ContentCoding.allCases) func encodingInPiecesRoundTrips(_ coding: ContentCoding) throws {
        let body = Bodies.json(3000)
        for size in [1, 7, 100, 2999, 3000] {
            for flush in [ContentEncoder.Flush.none, .sync] {
                let pieces = [Int](repeating: size, count: body.count / size)
                let encoded = try encode(body, coding, pieces: pieces, flush: flush)
                #expect(try coding.decode(encoded, limit: body.count) == body, "pieces of \(size), \(flush)")
            }
        }
        var generator = SeededNumbers(seed: 7)
        let large = Bodies.noise(200_000) + Bodies.json(500_000)
        let pieces = (0..<40).map { _ in Int.random(in: 0...40_000, using: &generator) }
        let encoded = try encode(large, coding, pieces: pieces)
        #expect(try coding.decode(encoded, limit: large.count) == large)
    }

    @Test(arguments: ContentCoding.allCases) func aSyncFlushCanBeReadAtOnce(_ coding: ContentCoding) throws {
        let encoder = try ContentEncoder(coding)
        let decoder = try ContentDecoder(coding, outputLimit: 10_000)
        for index in 0..<50 {
            let message = Array("data: message number \(index)\n\n".utf8)
            let encoded = try message.withUnsafeBytes { try encoder.encode($0, flush: .sync) }
            var decoded: [UInt8] = []
            try encoded.withUnsafeBytes { try decoder.decode($0, appendingTo: &decoded) }
            #expect(decoded == message)
            #expect(!decoder.isFinished)
        }
        // Nothing new to flush is no error.
        for _ in 0..<40 { _ = try encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0), flush: .sync) }
        let end = try encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0), flush: .finish)
        var rest: [UInt8] = []
        try end.withUnsafeBytes { try decoder.decode($0, appendingTo: &rest) }
        #expect(rest.isEmpty)
        try decoder.finish()
    }

    @Test(arguments: ContentCoding.allCases) func aFinishedEncoderTakesNoMore(_ coding: ContentCoding) throws {
        let encoder = try ContentEncoder(coding)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let encoded = try encoder.encode(nothing, flush: .finish)
        #expect(try coding.decode(encoded, limit: 0) == [])
        #expect(try encoder.encode(nothing, flush: .finish) == [])
        let error = #expect(throws: ContentCodingError.self) {
            try [UInt8](repeating: 1, count: 3).withUnsafeBytes { _ = try encoder.encode($0, flush: .none) }
        }
        #expect(error == .alreadyFinished(coding))
    }

    @Test(arguments: ContentCoding.allCases) func stepsWithoutInputAreHarmless(_ coding: ContentCoding) throws {
        let body = Bodies.json(5000)
        let encoded = try coding.encode(body)
        let decoder = try ContentDecoder(coding, outputLimit: .max)
        // The library calls many steps without progress an error; the decoder does not.
        let pieces = Array(encoded.map { _ in [1] + [Int](repeating: 0, count: 40) }.joined())
        #expect(try decode(encoded, with: decoder, pieces: pieces) == body)
    }

    @Test(arguments: ContentCoding.allCases) func anOutputFullToTheByteIsFinished(_ coding: ContentCoding) throws {
        let body = Bodies.json(1000)
        let encoded = try coding.encode(body)
        let decoder = try ContentDecoder(coding, outputLimit: 1000)
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { output.deallocate() }
        try encoded.withUnsafeBytes { input in
            var consumed = 0
            while consumed < input.count {
                let room = UnsafeMutableRawBufferPointer(rebasing: output[Int(decoder.outputCount)...])
                if room.isEmpty { break }
                consumed += try decoder.decode(UnsafeRawBufferPointer(rebasing: input[consumed...]), into: room)
                    .consumed
            }
            #expect(Array(output) == body)
            if consumed < input.count {
                var rest: [UInt8] = []
                try decoder.decode(UnsafeRawBufferPointer(rebasing: input[consumed...]), appendingTo: &rest)
                #expect(rest.isEmpty)
            }
        }
        try decoder.finish()
    }
}
