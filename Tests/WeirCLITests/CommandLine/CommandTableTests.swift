import Foundation
import Testing

@testable import WeirCLI

/// What holds for every table, so that parsing, help and completion cannot disagree.
@Suite struct CommandTableTests {
    @Test func namesAreUniqueAndTypeable() {
        let names = Program.tables.map(\.name)
        #expect(Set(names).count == names.count)
        for table in Program.tables {
            #expect(table.name.wholeMatch(of: /[a-z][a-z-]*/) != nil)
            let options = table.options.map(\.name)
            #expect(Set(options).count == options.count, "\(table.name)")
            let shorts = table.options.compactMap(\.short)
            #expect(Set(shorts).count == shorts.count, "\(table.name)")
            for option in table.options {
                #expect(option.name.wholeMatch(of: /[a-z][a-z0-9-]+/) != nil, "\(table.name) \(option.name)")
                #expect(!(option.placeholder == nil && option.isRepeatable), "\(option.name)")
                #expect(option.placeholder.map { $0 == $0.uppercased() && !$0.isEmpty } ?? true, "\(option.name)")
                #expect(option.completion == .none || option.placeholder != nil, "\(option.name)")
            }
        }
    }

    @Test func everythingIsDocumented() {
        for table in Program.tables {
            #expect(!table.abstract.isEmpty && !table.abstract.hasSuffix("."), "\(table.name)")
            #expect(table.abstract.utf8.count <= 72 && !table.abstract.contains("'"), "\(table.name)")
            for option in table.options {
                #expect(option.help.utf8.count > 8 && !option.help.hasSuffix("."), "\(table.name) \(option.name)")
            }
            for operand in table.operands {
                #expect(operand.help.utf8.count > 8 && !operand.help.hasSuffix("."), "\(table.name) \(operand.name)")
                #expect(operand.name == operand.name.uppercased())
            }
            for part in table.discussion { #expect(part.hasSuffix("."), "\(table.name): \(part)") }
        }
    }

    @Test func operandsAreInAnOrderThatCanBeTold() {
        for table in Program.tables {
            #expect(table.operands.dropLast().allSatisfy { $0.arity == .one }, "\(table.name)")
            #expect(Set(table.operands.map(\.name)).count == table.operands.count, "\(table.name)")
        }
    }

    @Test func examplesFitTheirTables() throws {
        for example in Program.tables.flatMap(\.examples) {
            // Up to what the shell would do with the rest of the line.
            let words = example.line.split(separator: " ").map(String.init).prefix { !["|", ">", "<"].contains($0) }
            let bare = words.map { $0.trimmingCharacters(in: ["'"]) }
            let name = try #require(bare.first)
            let command = try Program.command(named: name, origin: .init(index: 1, text: name))
            let parsed = try ParsedArguments(SplitArguments(Array(bare.dropFirst())), table: command.table)
            _ = try command.init(parsed)
        }
    }
}
