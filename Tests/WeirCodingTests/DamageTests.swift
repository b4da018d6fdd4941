import Testing
import WeirCoding
import WeirTestSupport

@Suite struct DamageTests {
    @Test(arguments: Fixture.all) func everyTruncationIsIncomplete(_ fixture: Fixture) throws {
        let bytes = try fixture.bytes
        var whole: [Int] = []
        for count in 1..<bytes.count {
            let decoder = try ContentDecoder(fixture.coding, outputLimit: .max)
            do {
                let part = try decode(Array(bytes[..<count]), with: decoder, pieces: [])
                #expect(Fixture.body.starts(with: part))
                whole.append(count)
            } catch {
                let error = try #require(error as? ContentCodingError)
                #expect(error == .incomplete(fixture.coding, offset: Int64(count)))
            }
        }
        // Where a member or a frame ends the data may end, too; a first byte of a further gzip member may be anything.
        switch fixture.name {
        case "two gzip members": #expect(whole.count == 2)
        case "two zstd frames with skippable frames between": #expect(whole.count == 3)
        default: #expect(whole == [])
        }
    }

    @Test(arguments: Fixture.all) func noFlippedBitCrashesOrPassesAChecksum(_ fixture: Fixture) throws {
        let bytes = try fixture.bytes
        let limit = Fixture.body.count * 4
        // Without a checksum in the data a flipped bit may stay unseen: bare DEFLATE and brotli have none.
        let hasChecksum = fixture.coding != .br && !fixture.name.hasPrefix("bare") && fixture.coding != .zstd
        var failures = 0
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            do {
                let decoder = try ContentDecoder(fixture.coding, outputLimit: Int64(limit))
                let result = try decode(damaged, with: decoder, pieces: [bit / 8, 3])
                #expect(result.count <= limit)
                // Damage between gzip members makes the second one trailing bytes.
                if hasChecksum, decoder.ignoredTrailingBytes == 0 { #expect(result == Fixture.body, "bit \(bit)") }
            } catch {
                #expect(error is ContentCodingError)
                failures += 1
            }
        }
        #expect(failures > bytes.count)
    }

    @Test(arguments: ContentCoding.allCases) func noiseNeverCrashes(_ coding: ContentCoding) throws {
        var generator = SeededNumbers(seed: 1)
        let starts: [[UInt8]] = [
            [], [0x1F, 0x8B, 0x08], [0x1F, 0x8B, 0x08, 0x1F], [0x78, 0x9C], [0x28, 0xB5, 0x2F, 0xFD],
            [0x28, 0xB5, 0x2F, 0xFD, 0x20], [0x50, 0x2A, 0x4D, 0x18], [0x0B], [0x1B], [0xCE, 0xB2, 0xCF, 0x81],
        ]
        for round in 0..<3000 {
            let count = Int.random(in: 1...120, using: &generator)
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let bytes = starts[round % starts.count] + noise
            let decoder = try ContentDecoder(coding, outputLimit: 100_000)
            do {
                let result = try decode(bytes, with: decoder, pieces: [1, 2, 5, 40], outputSize: 777)
                #expect(result.count <= 100_000)
            } catch {
                #expect(error is ContentCodingError)
            }
        }
    }

    @Test(arguments: ContentCoding.allCases) func theLimitIsExact(_ coding: ContentCoding) throws {
        let body = Bodies.json(5000)
        let encoded = try coding.encode(body)
        for outputSize in [1, 100, 4999, 5000, 5001, 10_000] {
            let exact = try ContentDecoder(coding, outputLimit: 5000)
            #expect(try decode(encoded, with: exact, pieces: [], outputSize: outputSize) == body)
            let tight = try ContentDecoder(coding, outputLimit: 4999)
            let error = #expect(throws: ContentCodingError.self) {
                try decode(encoded, with: tight, pieces: [], outputSize: outputSize)
            }
            guard case .limitExceeded(coding, _, 4999) = error else {
                Issue.record("\(String(describing: error)) with \(outputSize)")
                continue
            }
            // The error stays.
            let again = #expect(throws: ContentCodingError.self) { try tight.finish() }
            #expect(again == error)
        }
        #expect(throws: ContentCodingError.self) { try coding.decode(encoded, limit: 0) }
        #expect(throws: ContentCodingError.self) { try coding.decode(encoded, limit: -5) }
    }

    @Test(arguments: ContentCoding.allCases) func aBombIsStoppedAtItsLimit(_ coding: ContentCoding) throws {
        let bomb = try coding.encode([UInt8](repeating: 0, count: 32 << 20))
        #expect(bomb.count < 64 * 1024)
        let decoder = try ContentDecoder(coding, outputLimit: 1 << 20)
        var output: [UInt8] = []
        let error = #expect(throws: ContentCodingError.self) {
            try bomb.withUnsafeBytes { try decoder.decode($0, appendingTo: &output) }
        }
        guard case .limitExceeded = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(output.count <= 1 << 20)
        #expect(decoder.outputCount == 1 << 20 + 1)
    }

    @Test func bytesAfterTheEndAreIgnoredOrRefusedByCoding() throws {
        let body = Bodies.json(300)
        let tails: [[UInt8]] = [[0], [0x1F], [0x1F, 0x00], [0x00, 0x1F, 0x8B], Array("garbage".utf8)]
        for tail in tails {
            for coding in [ContentCoding.gzip, .deflate] {
                let encoded = try coding.encode(body)
                for cut in (encoded.count - 3)...(encoded.count + tail.count) {
                    let decoder = try ContentDecoder(coding, outputLimit: 300)
                    #expect(try decode(encoded + tail, with: decoder, pieces: [cut]) == body)
                    #expect(decoder.ignoredTrailingBytes == Int64(tail.count))
                }
            }
            for coding in [ContentCoding.br, .zstd] {
                let encoded = try coding.encode(body)
                for cut in (encoded.count - 3)...(encoded.count + tail.count) {
                    let decoder = try ContentDecoder(coding, outputLimit: 300)
                    let error = #expect(throws: ContentCodingError.self) {
                        try decode(encoded + tail, with: decoder, pieces: [cut])
                    }
                    #expect(error == .trailingData(coding, offset: Int64(encoded.count)))
                }
            }
        }
        // A further member that breaks off is not garbage.
        let encoded = try ContentCoding.gzip.encode(body)
        #expect(throws: ContentCodingError.incomplete(.gzip, offset: Int64(encoded.count) + 2)) {
            try ContentCoding.gzip.decode(encoded + [0x1F, 0x8B], limit: 300)
        }
    }

    @Test func zstdWindowsAboveEightMegabytesAreRefusedHoweverTheyArrive() throws {
        // A frame with a window descriptor and one raw block of one byte.
        func frame(window descriptor: UInt8) -> [UInt8] {
            [0x28, 0xB5, 0x2F, 0xFD, 0x00, descriptor, 0x09, 0x00, 0x00, UInt8(ascii: "a")]
        }
        #expect(try ContentCoding.zstd.decode(frame(window: 13 << 3), limit: 10) == [UInt8(ascii: "a")])
        for (descriptor, size) in [(UInt8(13 << 3 | 1), UInt64(9 << 20)), (14 << 3, 16 << 20), (0xFF, 15 << 38)] {
            let bytes = frame(window: descriptor)
            for cut in 0...bytes.count {
                let decoder = try ContentDecoder(.zstd, outputLimit: 10)
                let error = #expect(throws: ContentCodingError.self) { try decode(bytes, with: decoder, pieces: [cut]) }
                guard case .windowTooLarge(.zstd, _, size, 8_388_608) = error else {
                    Issue.record("\(String(describing: error)) for \(descriptor)")
                    continue
                }
            }
        }
        // A frame in one segment needs a window of its whole size, which it gives in eight bytes.
        let segment: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(throws: ContentCodingError.windowTooLarge(.zstd, offset: 0, window: .max, limit: 8_388_608)) {
            try ContentCoding.zstd.decode(segment, limit: 10)
        }
        // A window descriptor above the limit with a small size: the library's shortcut would take it.
        let shortcut: [UInt8] = [
            0x28, 0xB5, 0x2F, 0xFD, 0x40, 14 << 3, 0x00, 0x00, 0x01 | 0x02, 0x08, 0x00, UInt8(ascii: "a"),
        ]
        #expect(throws: ContentCodingError.self) { try ContentCoding.zstd.decode(shortcut, limit: 1000) }
    }

    @Test func whatNeedsADictionaryIsRefused() throws {
        // zlib: FDICT is set. zstd: a frame with dictionary id 5.
        #expect(throws: ContentCodingError.self) {
            try ContentCoding.deflate.decode([0x78, 0x20, 0, 0, 0, 1, 0x03, 0x00], limit: 10)
        }
        #expect(throws: ContentCodingError.self) {
            try ContentCoding.zstd.decode(
                [0x28, 0xB5, 0x2F, 0xFD, 0x01, 0x00, 0x05, 0x09, 0x00, 0x00, UInt8(ascii: "a")], limit: 10)
        }
    }

    @Test func corruptAndIncompleteTellTheirPlace() throws {
        var gzip = try ContentCoding.gzip.encode(Bodies.json(2000))
        gzip[gzip.count - 6] ^= 1  // the CRC
        let error = #expect(throws: ContentCodingError.self) { try ContentCoding.gzip.decode(gzip, limit: 2000) }
        guard case .corrupt(.gzip, let offset, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(((gzip.count - 8)...gzip.count).contains(Int(offset)))
        #expect(reason == "incorrect data check")
        #expect(throws: ContentCodingError.incomplete(.gzip, offset: 20)) {
            try ContentCoding.gzip.decode(Array(gzip[..<20]), limit: 2000)
        }
        for coding in ContentCoding.allCases {
            let error = #expect(throws: ContentCodingError.self) {
                try coding.decode(Array("<!DOCTYPE html><html><body>Not Found".utf8), limit: 2000)
            }
            guard case .corrupt(coding, 0...4, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }
}
