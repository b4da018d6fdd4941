import Testing
import WeirReports

@Suite struct PrintableTextTests {
    @Test(arguments: [
        ("plain ~ text", "plain ~ text", 12), ("", "", 0), ("a\nb", #"a\nb"#, 4), ("\r\n", #"\r\n"#, 4),
        ("\u{1B}[0m", #"\u{1B}[0m"#, 9), ("\u{0}\u{7F}\u{9B}", #"\0\u{7F}\u{9B}"#, 14), ("é", "é", 1),
        ("e\u{301}", "é", 1), ("x\u{301}", #"x\u{301}"#, 8), ("日本", "日本", 4), ("📚", "📚", 2),
        ("\u{202E}", #"\u{202E}"#, 8), ("שלום", #"\u{5E9}\u{5DC}\u{5D5}\u{5DD}"#, 28),
        ("👩\u{200D}💻", #"👩\u{200D}💻"#, 12), ("\u{3164}", #"\u{3164}"#, 8), ("Жизнь", "Жизнь", 5),
    ])
    func writing(text: String, expected: String, width: Int) {
        let printable = PrintableText(text)
        #expect(printable.description == expected)
        #expect(printable.width == width)
    }

    @Test func asciiOnly() {
        #expect(PrintableText("é日", asciiOnly: true).description == #"\u{E9}\u{65E5}"#)
    }

    @Test(arguments: [
        (0, ""), (1, "…"), (2, "…f"), (6, "01…def"), (15, "01234…789abcdef"), (16, "0123456789abcdef"),
    ])
    func shortening(columns: Int, expected: String) {
        #expect(PrintableText("0123456789abcdef").shortened(to: columns).description == expected)
        let long = String(repeating: "0123456789abcdef", count: 10_000)
        let cut = PrintableText(shortening: long[...], to: columns, style: .plain)
        #expect(cut.width <= columns)
        #expect(PrintableText(long).shortened(to: columns) == cut)
    }

    @Test func wideCharactersAreNotSplit() {
        for columns in 0...12 {
            let cut = PrintableText("図書館の本棚").shortened(to: columns)
            #expect(cut.width <= columns)
            #expect(cut.width >= min(columns, 12) - 2)
        }
    }

    @Test func truncatingAndPadding() {
        #expect(PrintableText("abcdef").truncated(to: 4).description == "abc…")
        #expect(PrintableText("abc").truncated(to: 3).description == "abc")
        #expect(PrintableText("日").padded(to: 4) == "日  ")
        #expect(PrintableText("日").padded(from: 4) == "  日")
        #expect(PrintableText("abcdef").padded(to: 4) == "abcdef")
    }
}
