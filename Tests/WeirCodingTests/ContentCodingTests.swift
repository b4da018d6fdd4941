import Testing
import WeirCoding

@Suite struct ContentCodingTests {
    @Test(arguments: ContentCoding.allCases) func roundTrips(_ coding: ContentCoding) throws {
        let body = Array("hello hello hello".utf8)
        #expect(try coding.decode(coding.encode(body), limit: 100) == body)
    }
}
