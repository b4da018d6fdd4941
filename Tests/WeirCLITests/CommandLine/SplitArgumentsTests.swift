import Testing

@testable import WeirCLI

@Suite struct SplitArgumentsTests {
    private func split(_ arguments: String...) -> [SplitArguments.Element] {
        SplitArguments(arguments).elements
    }

    @Test func forms() {
        #expect(
            split("--json", "--limit=20", "--empty=", "--two=a=b", "file", "-", "-ab") == [
                .long("json", value: nil, .init(index: 1, text: "--json")),
                .long("limit", value: "20", .init(index: 2, text: "--limit=20")),
                .long("empty", value: "", .init(index: 3, text: "--empty=")),
                .long("two", value: "a=b", .init(index: 4, text: "--two=a=b")),
                .value("file", .init(index: 5, text: "file")),
                .value("-", .init(index: 6, text: "-")),
                .short("a", .init(index: 7, text: "-ab")),
                .short("b", .init(index: 7, text: "-ab")),
            ])
    }

    @Test func everythingAfterTheTerminatorIsAValue() {
        #expect(
            split("--", "--json", "--", "-x") == [
                .literal("--json", .init(index: 2, text: "--json")),
                .literal("--", .init(index: 3, text: "--")),
                .literal("-x", .init(index: 4, text: "-x")),
            ])
    }

    @Test func oddities() {
        #expect(split("") == [.value("", .init(index: 1, text: ""))])
        #expect(split("--=x") == [.long("", value: "x", .init(index: 1, text: "--=x"))])
        #expect(split("--\r\n=é") == [.long("\r\n", value: "é", .init(index: 1, text: "--\r\n=é"))])
        #expect(SplitArguments(["a"], first: 7).elements == [.value("a", .init(index: 7, text: "a"))])
    }
}
