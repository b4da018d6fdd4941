import Testing
import WeirCoding

@Suite struct ContentCodingTests {
    @Test func namesAreReadAsTheStandardHasThem() {
        #expect(ContentCoding(token: "gzip") == .gzip)
        #expect(ContentCoding(token: "X-GZip") == .gzip)
        #expect(ContentCoding(token: "DEFLATE") == .deflate)
        #expect(ContentCoding(token: "Br") == .br)
        #expect(ContentCoding(token: "zStd") == .zstd)
        for other in ["", "identity", "compress", "gzip ", "x-br", "gz", "*", "ｇzip"] {
            #expect(ContentCoding(token: other) == nil, "\(other)")
        }
        #expect(ContentCoding.acceptEncoding == "gzip, deflate, br, zstd")
    }

    @Test(
        arguments: ContentCoding.allCases,
        [0, 1, 2, 19, 1000, 4096, 32_768, 65_537, 300_000])
    func wholeBodiesRoundTrip(_ coding: ContentCoding, _ count: Int) throws {
        for body in [Bodies.json(count), Bodies.noise(count), [UInt8](repeating: 0, count: count)] {
            let encoded = try coding.encode(body)
            #expect(!encoded.isEmpty)
            #expect(try coding.decode(encoded, limit: count) == body)
        }
    }

    @Test(arguments: ContentCoding.allCases) func everyLevelRoundTrips(_ coding: ContentCoding) throws {
        let body = Bodies.json(20_000)
        var sizes: [Int] = []
        for level in coding.levels {
            let encoded = try coding.encode(body, level: level)
            sizes.append(encoded.count)
            #expect(try coding.decode(encoded, limit: body.count) == body, "level \(level)")
        }
        let first = try #require(sizes.first)
        let last = try #require(sizes.last)
        #expect(last < first && last < body.count / 5)
        for level in [coding.levels.lowerBound - 1, coding.levels.upperBound + 1, Int.min, Int.max] {
            #expect(throws: ContentCodingError.levelOutOfRange(coding, level: level)) {
                try coding.encode(body, level: level)
            }
        }
    }

    @Test(arguments: ContentCoding.allCases) func noInputIsAnEmptyBody(_ coding: ContentCoding) throws {
        #expect(try coding.decode([], limit: 0) == [])
    }

    @Test(arguments: Fixture.all) func whatOthersWroteIsRead(_ fixture: Fixture) throws {
        #expect(try fixture.coding.decode(fixture.bytes, limit: Fixture.body.count) == Fixture.body)
    }

    @Test func zstdOfTheHighestLevelKeepsToTheWindowOfHTTP() throws {
        // Larger than the window, so that the encoder's own choice at this level would be 16 MB and more.
        let body = [UInt8](repeating: 7, count: 9 << 20)
        let encoder = try ContentEncoder(.zstd, level: 22)
        var encoded = try body.withUnsafeBytes { try encoder.encode($0, flush: .none) }
        encoded += try encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0), flush: .finish)
        #expect(try ContentCoding.zstd.decode(encoded, limit: body.count) == body)
    }

    @Test func errorsAreSentences() {
        let errors: [ContentCodingError] = [
            .corrupt(.gzip, offset: 7, reason: "incorrect header check"), .incomplete(.br, offset: 1),
            .trailingData(.zstd, offset: 30), .limitExceeded(.br, offset: 10, limit: 20),
            .windowTooLarge(.zstd, offset: 0, window: 1 << 24, limit: 1 << 23), .levelOutOfRange(.br, level: 12),
            .alreadyFinished(.deflate), .libraryFailed(.gzip, reason: "insufficient memory"), .unsupported(.br),
        ]
        for error in errors {
            #expect(error.description.hasSuffix(".") && error.description.contains(" "), "\(error)")
        }
        #expect(
            errors[0].description == "The gzip data are corrupt near byte 7: incorrect header check.")
    }
}
