import Testing
import WeirCoding

@Suite struct NegotiationTests {
    private static let all: [ContentCoding] = [.br, .zstd, .gzip, .deflate]

    /// RFC 9110, section 12.5.3: the examples first, then the rules one by one.
    @Test(
        arguments: [
            ("compress, gzip", .gzip),
            ("", nil),
            ("*", .br),
            ("compress;q=0.5, gzip;q=1.0", .gzip),
            ("gzip;q=1.0, identity; q=0.5, *;q=0", .gzip),
            // The server's order decides among equals, and the weight before it.
            ("gzip, deflate, br, zstd", .br),
            ("gzip, deflate, br;q=0.9", .gzip),
            ("gzip;q=0.1, deflate;q=0.2", .deflate),
            ("zstd;q=0.001", .zstd),
            // Zero refuses.
            ("gzip;q=0", nil),
            ("gzip;q=0.000", nil),
            ("br;q=0, *", .zstd),
            ("br;q=0, *;q=0.3, gzip;q=0.4", .gzip),
            ("*;q=0", nil),
            ("*;q=0, gzip", .gzip),
            // Identity: possible always, preferred only by weight.
            ("identity", nil),
            ("identity, gzip", .gzip),
            ("identity;q=1, gzip;q=0.5", nil),
            ("identity;q=0.5, gzip;q=0.5", .gzip),
            ("identity;q=0.5, *;q=0.1", nil),
            ("identity;q=0", nil),
            ("identity;q=0, gzip;q=0.1", .gzip),
            ("identity;q=0, *", .br),
            // Spelling.
            ("GZIP", .gzip),
            ("x-gzip", .gzip),
            ("X-Gzip;Q=0.5", .gzip),
            (" \tgzip\t; q=0.5 ,, ", .gzip),
            ("gzip ;q=1.000", .gzip),
            ("gzip;q=0.", nil),
            ("gzip;q=1.", .gzip),
            ("gzip;level=5;q=0.5, br;q=0.2", .gzip),
            // Malformed weights do not count.
            ("gzip;q=2, deflate", .deflate),
            ("gzip;q=1.001, deflate", .deflate),
            ("gzip;q=0.1234, deflate", .deflate),
            ("gzip;q=-1, deflate", .deflate),
            ("gzip;q=+1, deflate", .deflate),
            ("gzip;q=, deflate", .deflate),
            ("gzip;q, deflate", .deflate),
            ("gzip;q=.5, deflate", .deflate),
            ("gzip;q=0.5.5, deflate", .deflate),
            ("gzip;q=\"1\", deflate", .deflate),
            ("gzip;q=１, deflate", .deflate),
            // The first mention counts.
            ("gzip;q=0, gzip;q=1", nil),
            ("unknown, other;q=0.3", nil),
            (",,,;;,=,;q=1", nil),
        ] as [(String, ContentCoding?)])
    func theTable(_ header: String, _ expected: ContentCoding?) {
        #expect(ContentCoding.negotiate(acceptEncoding: header, offering: Self.all) == expected, "\(header)")
    }

    @Test func whatIsNotOfferedIsNotChosen() {
        #expect(ContentCoding.negotiate(acceptEncoding: nil, offering: Self.all) == nil)
        #expect(ContentCoding.negotiate(acceptEncoding: "*", offering: []) == nil)
        #expect(ContentCoding.negotiate(acceptEncoding: "br, gzip;q=0.5", offering: [.gzip]) == .gzip)
        #expect(ContentCoding.negotiate(acceptEncoding: "br", offering: [.gzip]) == nil)
        #expect(
            ContentCoding.negotiate(acceptEncoding: ContentCoding.acceptEncoding, offering: [.gzip, .br]) == .gzip)
    }
}
