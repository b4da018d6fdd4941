import Testing

@testable import WeirCLI

@Suite struct ParsedArgumentsTests {
    static let json = Option.flag("json", short: "j", "Write JSON")
    static let host = Option.value("host", "HOST", "Keep a host", isRepeatable: true)
    static let limit = Option.value("limit", "N", "Show so many")
    static let file = Operand("FILE", "The file")
    static let more = Operand("MORE", "Further files", arity: .many)
    static let table = CommandTable(
        "sample", abstract: "a sample", operands: [file], options: [json, host, limit])

    private func parse(_ line: String, table: CommandTable = table) throws(UsageError) -> ParsedArguments {
        try ParsedArguments(SplitArguments(line.split(separator: " ").map(String.init)), table: table)
    }

    private func error(_ line: String, table: CommandTable = table) -> UsageError? {
        do {
            _ = try parse(line, table: table)
            return nil
        } catch { return error }
    }

    @Test func optionsStandAnywhere() throws {
        for line in ["--json --limit 3 f --host a --host=b", "f -j --host a --host b --limit=3"] {
            let parsed = try parse(line)
            #expect(parsed.has(Self.json))
            #expect(parsed.text(Self.file) == "f")
            #expect(parsed.values(Self.host).map(\.text) == ["a", "b"])
            #expect(try parsed.number(Self.limit, in: 0...9) == 3)
        }
    }

    @Test func whatIsAbsentIsAbsent() throws {
        let parsed = try parse("f")
        #expect(!parsed.has(Self.json))
        #expect(parsed.values(Self.host) == [])
        #expect(try parsed.number(Self.limit, in: 0...9) == nil)
        #expect(parsed.text(Self.limit) == nil)
    }

    @Test func valuesMayBeginWithADash() throws {
        #expect(try parse("f --host=-x").text(Self.host) == "-x")
        #expect(try parse("f --host -").text(Self.host) == "-")
        #expect(try parse("-- --f").text(Self.file) == "--f")
    }

    @Test(arguments: [
        ("f --jsn", "unknown option '--jsn' (argument 2); did you mean '--json'?"),
        ("f --qqqqqq", "unknown option '--qqqqqq' (argument 2)"),
        ("f -x", "unknown option '-x' (argument 2)"),
        ("f --host", "--host (argument 2) needs a value: --host HOST"),
        ("f --host --json", "--host (argument 2) needs a value: --host HOST"),
        ("f --json=1", "--json (argument 2) takes no value"),
        ("f --limit 1 --limit 2", "--limit (argument 4) is given twice"),
        ("--json", "FILE is missing"),
        ("f g", "unexpected argument 'g' (argument 2)"),
        ("f \u{1B}[31m", #"unexpected argument '\u{1B}[31m' (argument 2)"#),
    ])
    func errors(line: String, expected: String) {
        #expect(error(line)?.description == expected)
    }

    @Test(arguments: ["+5", "-5", "5.0", "", "٥", "10", "99999999999999999999", " 5"])
    func numbersAreDigitsWithinARange(text: String) throws {
        let parsed = try ParsedArguments(SplitArguments(["f", "--limit=\(text)"]), table: Self.table)
        #expect(throws: UsageError.self) { try parsed.number(Self.limit, in: 0...9) }
        do {
            _ = try parsed.number(Self.limit, in: 0...9)
        } catch {
            #expect(error.description.hasSuffix("but should be a whole number from 0 to 9"))
            #expect(error.description.hasPrefix("--limit (argument 2) is '"))
        }
    }

    @Test func exclusions() throws {
        let parsed = try parse("f --json --limit 3")
        #expect(
            throws: UsageError(
                .exclusive("--json", "--limit"), .init(index: 3, text: "--limit"), command: "sample")
        ) { try parsed.exclude(Self.json, Self.limit) }
        try parsed.exclude(Self.json, Self.host)
    }

    @Test func severalOperands() throws {
        let table = CommandTable("sample", abstract: "a sample", operands: [Self.file, Self.more])
        #expect(try parse("a b c", table: table).texts(Self.more) == ["b", "c"])
        #expect(error("a", table: table)?.description == "MORE is missing")
    }
}
