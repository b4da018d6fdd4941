import Testing
import WeirReports

@Suite struct TextStyleTests {
    @Test(arguments: [
        (true, [:], TextStyle.ansi), (false, [:], .plain), (true, ["NO_COLOR": "1"], .plain),
        (true, ["NO_COLOR": ""], .ansi), (true, ["TERM": "dumb"], .plain), (false, ["LANG": "C"], .ascii),
        (false, ["LANG": "C.UTF-8"], .plain), (false, ["LANG": "de_DE.utf8"], .plain),
        (false, ["LC_ALL": "POSIX", "LANG": "C.UTF-8"], .ascii), (false, ["LC_ALL": "", "LANG": "C.UTF-8"], .plain),
        (true, ["LC_CTYPE": "en_US.ISO-8859-1"], TextStyle(usesColor: true, glyphs: .ascii)),
    ])
    func environment(isTerminal: Bool, environment: [String: String], expected: TextStyle) {
        #expect(TextStyle(isTerminal: isTerminal, environment: environment) == expected)
    }

    @Test func paint() {
        #expect(TextStyle.ansi.paint("x", .red) == "\u{1B}[31mx\u{1B}[0m")
        #expect(TextStyle.ansi.paint("", .red) == "")
        #expect(TextStyle.ansi.paint("x", nil) == "x")
        #expect(TextStyle.plain.paint("x", .red) == "x")
    }
}
