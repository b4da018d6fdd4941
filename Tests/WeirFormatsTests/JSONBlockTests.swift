import Foundation
import Testing

@testable import WeirFormats

/// Strings and lists of all lengths around the blocks in which they are scanned.
@Suite struct JSONBlockTests {
    /// What stands in a text, and what it reads as.
    private static let pieces: [(written: String, read: String)] = [
        (#"\n"#, "\n"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\/"#, "/"), (#"\u00e9"#, "é"), (#"\ud83d\ude00"#, "😀"),
        ("é", "é"),
        (#"\\\""#, "\\\""), ("", ""),
    ]

    @Test(arguments: [0, 1, 15, 16, 17, 47, 63, 64, 65, 130])
    func everyPlaceOfAnEscape(_ rest: Int) throws {
        for before in 0..<140 {
            for (written, read) in Self.pieces {
                let start = String(repeating: "a", count: before)
                let end = String(repeating: "b", count: rest)
                let text = "[\"\(start)\(written)\(end)\",\"\(written)\(start)\",7]"
                let document = try JSONDocument(parsing: Array(text.utf8))
                let elements = Array(document.root.elements)
                try #require(elements.count == 3)
                #expect(elements[0].string == start + read + end)
                #expect(elements[1].string == read + start)
                #expect(elements[2].number == 7)
                #expect(document.oddities.isEmpty)
            }
        }
    }

    @Test func everyPlaceOfWhatIsTolerated() throws {
        for before in 0..<140 {
            let start = Array(String(repeating: "a", count: before).utf8)
            for (bytes, kind): ([UInt8], JSONOddities.Kind) in [
                ([0x01], .rawControlCharacter), ([0xFF], .invalidUTF8), (Array(#"\q"#.utf8), .invalidEscape),
                (Array(#"\ud800"#.utf8), .loneSurrogate),
            ] {
                let text = Array("\"".utf8) + start + bytes + Array("c\"".utf8)
                let document = try JSONDocument(parsing: text)
                #expect(document.oddities.count(of: kind) == 1)
                #expect(document.root.string?.hasSuffix("c") == true)
            }
        }
    }

    /// What is cut off inside a string names where the string began.
    @Test func everyPlaceOfAnEnd() throws {
        for count in 0..<140 {
            let text = "[1, \"" + String(repeating: "a", count: count)
            let error = try #require(throws: JSONError.self) { try JSONDocument(parsing: Array(text.utf8)) }
            #expect(error.offset == text.utf8.count)
        }
    }

    /// More values than there was room for at first.
    @Test func manyValues() throws {
        let text = "[" + Array(repeating: "1", count: 50_000).joined(separator: ",") + ",{\"a\":[]}]"
        let document = try JSONDocument(parsing: Array(text.utf8))
        let elements = Array(document.root.elements)
        #expect(elements.count == 50_001)
        #expect(elements.dropLast().allSatisfy { $0.number == 1 })
        #expect(elements.last?["a"]?.isArray == true)
    }
}
