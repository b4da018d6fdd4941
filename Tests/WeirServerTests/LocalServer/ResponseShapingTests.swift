import Foundation
import Testing
import WeirCoding
import WeirModel
import WeirTestSupport

@testable import WeirServer

@Suite struct ResponseShapingTests {
    private func head(_ fields: String, method: String = "GET") throws -> RequestHead {
        var parser = RequestParser(limits: .init())
        var position = 0
        return try Array("\(method) / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8).withUnsafeBytes { bytes in
            guard case .head(let head) = parser.next(bytes, &position) else {
                throw RawClient.Failure(description: fields)
            }
            return head
        }
    }

    private func bytes(_ response: LocalServer.Response) -> [UInt8] {
        response.body.flatMap { piece -> [UInt8] in if case .bytes(let bytes) = piece.kind { bytes } else { [] } }
    }

    private let json = String(repeating: #"{"id":"b-1","title":"The Trial"},"#, count: 40)

    private func options(_ codings: [LocalServer.ContentCoding] = LocalServer.ContentCoding.allCases)
        -> LocalServer.Options
    {
        var options = LocalServer.Options()
        options.contentCodings = codings
        return options
    }

    @Test(arguments: LocalServer.ContentCoding.allCases)
    func codesAsAccepted(coding: LocalServer.ContentCoding) throws {
        let request = try head("Accept-Encoding: \(coding.rawValue), identity;q=0.5\r\n")
        let shaped = LocalServer.Response.json(json).shaped(for: request, options: options())
        #expect(shaped.header("content-encoding") == coding.rawValue)
        #expect(shaped.header("vary") == "Accept-Encoding")
        #expect(bytes(shaped).count < json.utf8.count / 5)
        let decoded = try coding.coding.decode(bytes(shaped), limit: 100_000)
        #expect(decoded == Array(json.utf8))
    }

    @Test func keepsToQualityValues() throws {
        let shaped = { (accept: String) throws in
            try LocalServer.Response.json(json)
                .shaped(for: head("Accept-Encoding: \(accept)\r\n"), options: options([.br, .gzip]))
                .header("content-encoding")
        }
        #expect(try shaped("gzip;q=0.9, br;q=0.1") == "gzip")
        #expect(try shaped("gzip;q=0, br;q=0") == nil)
        #expect(try shaped("zstd") == nil)
        #expect(try shaped("gzip\r\nAccept-Encoding: br;q=0.5") == "gzip")
    }

    @Test func leavesAloneWhatDoesNotPay() throws {
        let request = try head("Accept-Encoding: gzip\r\n")
        func coding(_ response: LocalServer.Response) -> String? {
            response.shaped(for: request, options: options()).header("content-encoding")
        }
        #expect(coding(.json(json)) == "gzip")
        #expect(coding(.json(#"{"a":1}"#)) == nil)
        #expect(coding(.data(Data(json.utf8), type: "image/png")) == nil)
        #expect(coding(.init(body: [.text(json)])) == nil)
        #expect(coding(.json(json).adding("Cache-Control", "max-age=1, no-transform")) == nil)
        #expect(coding(.json(json).adding("Content-Encoding", "br")) == "br")
        #expect(coding(.init(headers: [("Content-Type", "text/plain")], body: [.text(json), .raw("x")])) == nil)
        var random = SeededNumbers(seed: 3)
        let noise = (0..<2000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let shaped = LocalServer.Response.data(Data(noise), type: "text/plain").shaped(for: request, options: options())
        #expect(shaped.header("content-encoding") == nil)
        #expect(shaped.header("vary") == "Accept-Encoding")
        #expect(bytes(shaped) == noise)
        #expect(LocalServer.Response.json(json).shaped(for: request, options: .init()).header("vary") == nil)
    }

    @Test(arguments: LocalServer.ContentCoding.allCases)
    func codesPieceByPiece(coding: LocalServer.ContentCoding) throws {
        let lines = (0..<5).map { "{\"line\":\($0),\"text\":\"\(String(repeating: "abc ", count: 100))\"}\n" }
        let response = LocalServer.Response(
            headers: [("Content-Type", "application/x-ndjson")],
            body: lines.flatMap { [.text($0), .pause(.seconds(1))] }, chunked: true)
        let shaped = response.shaped(for: try head("Accept-Encoding: \(coding.rawValue)\r\n"), options: options())
        #expect(shaped.header("content-encoding") == coding.rawValue)
        // At each pause, all lines so far can be read.
        let decoder = try ContentDecoder(coding.coding, outputLimit: 100_000)
        var decoded: [UInt8] = []
        var pauses = 0
        for piece in shaped.body {
            switch piece.kind {
            case .bytes(let bytes):
                try bytes.withUnsafeBytes { input in
                    var rest = input
                    try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
                        repeat {
                            let progress = try decoder.decode(rest, into: buffer)
                            decoded.append(contentsOf: buffer[..<progress.produced])
                            rest = UnsafeRawBufferPointer(rebasing: rest[progress.consumed...])
                            if progress.consumed == 0, progress.produced == 0 { break }
                        } while true
                    }
                }
            case .pause:
                pauses += 1
                #expect(decoded == lines.prefix(pauses).flatMap { Array($0.utf8) })
            default: Issue.record("an unexpected piece")
            }
        }
        #expect(pauses == 5)
    }

    @Test func revalidates() throws {
        var options = LocalServer.Options()
        options.entityTags = true
        let first = LocalServer.Response.json(json).shaped(for: try head(""), options: options)
        let tag = try #require(first.header("etag"))
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
        func status(_ fields: String, _ response: LocalServer.Response? = nil, method: String = "GET") throws -> Int {
            try (response ?? .json(json)).shaped(for: head(fields, method: method), options: options).status
        }
        #expect(try status("If-None-Match: \(tag)\r\n") == 304)
        #expect(try status("If-None-Match: W/\(tag)\r\n") == 304)
        #expect(try status("If-None-Match: *\r\n") == 304)
        #expect(try status("If-None-Match: \"a,b\", \(tag)\r\n") == 304)
        #expect(try status("If-None-Match: \"a\"\r\nIf-None-Match: \(tag)\r\n") == 304)
        #expect(try status("If-None-Match: \"a\(tag.dropFirst())\r\n") == 200)
        #expect(try status("If-None-Match: \"a\"\r\n") == 200)
        #expect(try status("If-None-Match: \(tag)\r\n", method: "HEAD") == 304)
        #expect(try status("If-None-Match: \(tag)\r\n", method: "POST") == 200)
        #expect(try status("If-None-Match: \(tag)\r\n", .json(json + " ")) == 200)
        #expect(try status("If-None-Match: \"v1\"\r\n", .json(json).adding("ETag", "W/\"v1\"")) == 304)
        #expect(try status("If-None-Match: *\r\n", .text("x", status: 404)) == 404)

        let unchanged = LocalServer.Response.json(json)
            .shaped(for: try head("If-None-Match: \(tag)\r\n"), options: options)
        #expect(unchanged.body.isEmpty)
        #expect(unchanged.header("content-type") == nil)
        #expect(unchanged.header("etag") == tag)

        // Each coding is a representation of its own.
        options.contentCodings = [.gzip]
        let coded = LocalServer.Response.json(json).shaped(for: try head("Accept-Encoding: gzip\r\n"), options: options)
        let codedTag = try #require(coded.header("etag"))
        #expect(codedTag != tag)
        #expect(codedTag.hasSuffix("-gzip\""))
        #expect(try status("Accept-Encoding: gzip\r\nIf-None-Match: \(codedTag)\r\n") == 304)
        #expect(try status("If-None-Match: \(codedTag)\r\n") == 200)
    }

    @Test func slicesRanges() throws {
        let response = LocalServer.Response(
            headers: [("ETag", "\"v1\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")],
            body: [.text("0123"), .pause(.milliseconds(1)), .text("456789")])
        func ranged(_ fields: String, method: String = "GET") throws -> String {
            let shaped = response.shaped(for: try head(fields, method: method), options: .init())
            let range = shaped.header("content-range").map { " \($0)" } ?? ""
            return "\(shaped.status)\(range) \(String(decoding: bytes(shaped), as: UTF8.self))"
        }
        let whole = "200 0123456789"
        #expect(try ranged("Range: bytes=2-5\r\n") == "206 bytes 2-5/10 2345")
        #expect(try ranged("Range: bytes=0-0\r\n") == "206 bytes 0-0/10 0")
        #expect(try ranged("Range: Bytes=7-\r\n") == "206 bytes 7-9/10 789")
        #expect(try ranged("Range: bytes=-3\r\n") == "206 bytes 7-9/10 789")
        #expect(try ranged("Range: bytes=-99999999999999999999\r\n") == "206 bytes 0-9/10 0123456789")
        #expect(try ranged("Range: bytes=8-99999999999999999999\r\n") == "206 bytes 8-9/10 89")
        #expect(try ranged("Range: bytes=10-\r\n") == "416 bytes */10 ")
        #expect(try ranged("Range: bytes=-0\r\n") == "416 bytes */10 ")
        for ignored in [
            "bytes=5-2", "bytes=a-b", "bytes=", "bytes=-", "lines=1-2", "bytes=0-1,3-4", "bytes=+1-2", "bytes=1-2x",
        ] {
            #expect(try ranged("Range: \(ignored)\r\n") == whole, "\(ignored)")
        }
        #expect(try ranged("Range: bytes=0-1\r\n", method: "HEAD") == whole)
        #expect(try ranged("Range: bytes=0-1\r\nIf-Range: \"v1\"\r\n") == "206 bytes 0-1/10 01")
        #expect(try ranged("Range: bytes=0-1\r\nIf-Range: W/\"v1\"\r\n") == whole)
        #expect(try ranged("Range: bytes=0-1\r\nIf-Range: \"v2\"\r\n") == whole)
        #expect(
            try ranged("Range: bytes=0-1\r\nIf-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\n") == "206 bytes 0-1/10 01")
        // A range is one of the plain body.
        let coded = LocalServer.Response.json(json)
            .shaped(for: try head("Range: bytes=0-3\r\nAccept-Encoding: gzip\r\n"), options: options())
        #expect(coded.status == 206)
        #expect(coded.header("content-encoding") == nil)
    }

    @Test func readsTargets() throws {
        func request(_ target: String) throws -> LocalServer.Request {
            var parser = RequestParser(limits: .init())
            var position = 0
            return try Array("GET \(target) HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a: 2\r\n\r\n".utf8).withUnsafeBytes {
                bytes in
                guard case .head(let head) = parser.next(bytes, &position) else {
                    throw RawClient.Failure(description: target)
                }
                let origin = LocalServer.Request.Origin(
                    number: 0, connection: 0, remotePort: 0, started: .now, arrived: .now)
                return LocalServer.Request(head: head, body: Data(), origin: origin)
            }
        }
        #expect(try request("/a%20b?x=1").path == "/a b")
        #expect(try request("/caf%C3%A9").path == "/café")
        for raw in ["/a%2Fb", "/a%25b", "/a%00b", "/a%ffb", "/a%zz", "/a%2"] { #expect(try request(raw).path == raw) }
        #expect(try request("http://host:1/p/q?x").path == "/p/q")
        #expect(try request("http://host").path == "/")
        #expect(try request("http://host?x=1").query == ["x": "1"])
        let query = try request("/?a=1&b=%26+x&a=2&c&d=&=e&%zz=1")
        #expect(query.query == ["a": "2", "b": "& x", "c": "", "d": "", "": "e", "%zz": "1"])
        #expect(query.queryItems.map(\.name) == ["a", "b", "a", "c", "d", "", "%zz"])
        #expect(query.queryItems[3].value == nil)
        #expect(query.header("X-a") == "1, 2")
        #expect(query.header("none") == nil)
        #expect(query.headers.map(\.name) == ["Host", "X-A", "x-a"])
    }
}
