import Testing
import WeirCoding

@Suite struct ChainTests {
    @Test func headersAreReadInOrder() {
        #expect(ContentCoding.chain(header: "gzip") == [.gzip])
        #expect(ContentCoding.chain(header: "gzip, br") == [.gzip, .br])
        #expect(ContentCoding.chain(header: " X-GZIP\t,,zstd ,") == [.gzip, .zstd])
        #expect(ContentCoding.chain(header: "identity") == [])
        #expect(ContentCoding.chain(header: "") == [])
        #expect(ContentCoding.chain(header: "gzip, compress") == nil)
        #expect(ContentCoding.chain(header: "gzip;q=1") == nil)
        #expect(ContentCoding.chain(header: "gzip br") == nil)
        #expect(ContentCoding.chain(header: "br,br,br,br,br")?.count == 5)
        #expect(ContentCoding.chain(header: "br,br,br,br,br,br") == nil)
    }

    @Test func everyPairOfCodingsIsUndoneAtEverySplit() throws {
        let body = Bodies.json(900)
        for first in ContentCoding.allCases {
            for second in ContentCoding.allCases {
                let encoded = try second.encode(first.encode(body))
                for cut in 0...encoded.count {
                    let decoder = try #require(try ContentDecoder(chain: [first, second], outputLimit: 900))
                    #expect(try decode(encoded, with: decoder, pieces: [cut], outputSize: 1 + cut % 50) == body)
                    #expect(decoder.isFinished)
                }
            }
        }
        #expect(try ContentDecoder(chain: [], outputLimit: 1) == nil)
    }

    @Test func aLongChainOfALargeBody() throws {
        let body = Bodies.json(300_000) + Bodies.noise(50_000)
        let chain: [ContentCoding] = [.gzip, .zstd, .br, .deflate, .gzip]
        let encoded = try chain.reduce(body) { try $1.encode($0) }
        let decoder = try #require(try ContentDecoder(chain: chain, outputLimit: Int64(body.count)))
        #expect(try decode(encoded, with: decoder, pieces: [1, 10_000, 3, 50_000], outputSize: 10_000) == body)
    }

    @Test func everyTruncationOfAChainIsIncomplete() throws {
        let encoded = try ContentCoding.br.encode(ContentCoding.gzip.encode(Bodies.json(900)))
        for count in 1..<encoded.count {
            let decoder = try #require(try ContentDecoder(chain: [.gzip, .br], outputLimit: 900))
            let error = #expect(throws: ContentCodingError.self) {
                try decode(Array(encoded[..<count]), with: decoder, pieces: [])
            }
            #expect(error == .incomplete(.br, offset: Int64(count)))
        }
        // The inner data end too early, the outer ones do not.
        let short = try ContentCoding.br.encode(ContentCoding.gzip.encode(Bodies.json(900)).dropLast(3))
        let decoder = try #require(try ContentDecoder(chain: [.gzip, .br], outputLimit: 900))
        let error = #expect(throws: ContentCodingError.self) { try decode(short, with: decoder, pieces: []) }
        guard case .incomplete(.gzip, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aBombInABombIsStopped() throws {
        // Many empty members decode to nothing, and compress well: what lies between the codings must be limited.
        let empty = try ContentCoding.gzip.encode([])
        let members = [UInt8]((0..<40_000).map { _ in empty }.joined())
        let bomb = try ContentCoding.br.encode(members)
        #expect(bomb.count < 2000)
        let decoder = try #require(try ContentDecoder(chain: [.gzip, .br], outputLimit: 1000))
        let error = #expect(throws: ContentCodingError.self) { try decode(bomb, with: decoder, pieces: []) }
        guard case .limitExceeded(.br, _, let limit) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(limit == 1000 + 64 * 1024)
        #expect(try ContentCoding.gzip.decode(members, limit: 0) == [])
    }
}
