import Foundation
import Testing
import WeirReports

@Suite struct JSONTextTests {
    @Test func shape() {
        let value: JSONText = [
            "z": .number(1), "a": ["nested": [], "empty": .object([])], "list": [["x": .integer(1)], .bool(true)],
            "none": .null,
        ]
        #expect(
            value.text == """
                {
                  "z": 1,
                  "a": {"nested": [], "empty": {}},
                  "list": [
                    {"x": 1},
                    true
                  ],
                  "none": null
                }
                """)
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (1.5, "1.5"), (632.12345, "632.123"), (-0.0004, "0"), (-1.25, "-1.25"),
        (1e15, "1000000000000000.0"), (.nan, "null"), (.infinity, "null"), (0.001, "0.001"), (10, "10"),
    ])
    func numbers(value: Double, expected: String) {
        #expect(JSONText.number(value).text == expected)
    }

    @Test func stringsReadBackAndStayQuiet() throws {
        let text = "\"\\/\n\r\t\u{0}\u{1B}\u{7F}\u{9B}é日📚\u{2028}\u{202E}\u{E0041}"
        let written = JSONText.array([.string(text)]).text
        let read = try JSONDecoder().decode([String].self, from: Data(written.utf8))
        #expect(read == [text])
        #expect(!written.unicodeScalars.contains(where: Terminal.isActive))
        #expect(written.contains(#"\u001b"#))
        #expect(written.contains(#"\udb40\udc41"#))
    }

    @Test func longScalarsListsWrap() {
        let value = JSONText.array((0..<60).map { .integer(1_000_000 + $0) })
        #expect(value.text.split(separator: "\n").count == 62)
    }
}
