import Foundation
import Testing
import WeirCoding
import WeirModel

@testable import WeirEvidence

@Suite struct CompressibilityTests {
    private func share(_ data: Data, piece: Int = 4_000) -> Double? {
        var estimate = Compressibility()
        var rest = data[...]
        while !rest.isEmpty {
            rest.prefix(piece).withUnsafeBytes { estimate.update($0) }
            rest = rest.dropFirst(piece)
        }
        return estimate.share()
    }

    private func gzip(_ data: Data) throws -> Double {
        let encoder = try ContentEncoder(.gzip)
        return Double(try data.withUnsafeBytes { try encoder.encode($0, flush: .finish) }.count) / Double(data.count)
    }

    /// Real texts: the project's own sources and documents.
    private static let texts: [URL] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return [
            "README.md", "Package.swift", "Scripts/bench", "Documentation/waterfall.svg",
            "Sources/WeirAudit/WhatIf/WhatIf.swift", "Sources/WeirFormats/JSON/JSONParser.swift",
            "Sources/WeirServer/Reactor/Reactor.swift", "Tests/WeirFormatsTests/HARReaderTests.swift",
        ].map { root.appendingPathComponent($0) }
    }()

    @Test(arguments: texts)
    func theEstimateIsNearWhatGzipMakesOfIt(_ file: URL) throws {
        let data = try Data(contentsOf: file)
        let estimate = try #require(share(data))
        let real = try gzip(data)
        #expect(abs(estimate - real) < max(0.02, real * 0.12), "\(file.lastPathComponent): \(estimate), gzip \(real)")
    }

    @Test func dataOfManyKinds() throws {
        var state: UInt64 = 42
        func random() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let rows = (0..<600).map {
            #"{"id":\#(random() % 1_000_000),"title":"book \#($0 % 17)","isLent":\#($0 % 3 == 0)}"#
        }
        let json = Data("[\(rows.joined(separator: ","))]".utf8)
        let noise = Data((0..<20_000).map { _ in UInt8(truncatingIfNeeded: random()) })
        let hexadecimal = Data((0..<10_000).flatMap { _ in String(random() % 256, radix: 16).utf8 })
        for data in [json, noise, hexadecimal, Data(repeating: 0x20, count: 9_000), noise.base64EncodedData()] {
            let estimate = try #require(share(data))
            let real = try gzip(data)
            #expect(abs(estimate - real) < max(0.03, real * 0.15), "\(estimate), gzip \(real)")
        }
        #expect(share(noise) ?? 0 > 0.97)
    }

    @Test func itDoesNotMatterHowTheBytesCome() throws {
        let data = try Data(contentsOf: Self.texts[0])
        #expect(share(data, piece: 1) == share(data, piece: 100_000))
        #expect(share(Data()) == nil)
        #expect(share(Data("x".utf8)) != nil)
    }

    @Test func theWholeBodyIsReckonedFromItsFirstBytes() {
        let data = Data(String(repeating: "The library opens at nine. ", count: 10_000).utf8)
        var estimate = Compressibility()
        data.withUnsafeBytes { estimate.update($0) }
        let bytes = estimate.compressedBytes() ?? 0
        #expect(bytes > 0 && bytes < Int64(data.count) / 20)
    }

    @Test func onlyTextWithoutACodingIsLookedAt() {
        func could(_ type: String, coding: String? = nil, status: Int = 200) -> Bool {
            var fields = [HeaderField(name: "content-type", value: type)]
            if let coding { fields.append(HeaderField(name: "Content-Encoding", value: coding)) }
            return EvidenceTap.couldBeCompressed(status: status, fields)
        }
        #expect(could("application/json; charset=utf-8") && could("TEXT/HTML") && could("application/problem+json"))
        #expect(!could("application/json", coding: "gzip") && !could("image/png") && !could("text/event-stream"))
        #expect(!could("application/json", status: 404))
        #expect(!EvidenceTap.couldBeCompressed(status: 200, []))
    }
}
