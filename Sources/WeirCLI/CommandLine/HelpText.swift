import WeirReports

/// The help of the program and of its commands, wrapped to a width.
struct HelpText: Sendable {
    var width: Int
    var style: TextStyle

    /// The help of one command.
    func command(_ table: CommandTable) -> String {
        var text = paragraph("weir \(table.name): \(table.abstract)")
        text += "\n" + heading("Usage:") + " " + table.usage + "\n"
        for part in table.discussion { text += "\n" + paragraph(part) }
        if !table.operands.isEmpty {
            text += section("Arguments", table.operands.map { ($0.name, $0.help) })
        }
        text += section("Options", table.options.map { (Self.spelling($0), Self.help($0)) })
        text += section("Exit status", table.allExitStatuses.map { ("\($0.status.rawValue)", $0.meaning) })
        if !table.examples.isEmpty {
            text += "\n" + heading("Examples:") + "\n"
            for example in table.examples {
                text += "  weir \(example.line)\n" + wrapped(example.meaning, indent: 6)
            }
        }
        return text
    }

    /// The help of the program.
    func program(_ tables: [CommandTable]) -> String {
        var text = paragraph("weir: \(Program.abstract)")
        text += "\n" + heading("Usage:") + " weir COMMAND [OPTIONS]\n"
        text += section("Commands", tables.filter { !$0.isHidden }.map { ($0.name, $0.abstract) })
        text += section("Options", [Option.version, .help].map { (Self.spelling($0), Self.help($0)) })
        text += section(
            "Environment",
            [
                ("COLUMNS", "The width of a line when --width is not given"),
                ("NO_COLOR", "When not empty: no colours"),
                ("WEIR_RECORD_FILE", "A session writes its records there, for 'weir audit'"),
            ])
        let own: [(status: ExitCode, meaning: String)] = [
            (.failure, "What was to hold does not: a budget, an expectation, what --fail-on names"),
            (.badInput, "A file cannot be read, or is not what it should be"),
        ]
        let statuses = (ExitCode.common + own).sorted { $0.status.rawValue < $1.status.rawValue }
        text += section("Exit status", statuses.map { ("\($0.status.rawValue)", $0.meaning) })
        text += "\n" + paragraph("'weir help COMMAND' tells what a command does, its options and its exit statuses.")
        return text
    }

    private static func spelling(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + option.spelling + (option.placeholder.map { " \($0)" } ?? "")
    }

    private static func help(_ option: Option) -> String {
        option.isRepeatable ? option.help + "; may be given several times" : option.help
    }

    private func heading(_ text: String) -> String { style.paint(text, .bold) }

    private func paragraph(_ text: String) -> String { wrapped(text, indent: 0) }

    private func section(_ title: String, _ items: [(term: String, text: String)]) -> String {
        let column = min(28, (items.map(\.term.utf8.count).max() ?? 0) + 4)
        var result = "\n" + heading("\(title):") + "\n"
        for item in items {
            let body = wrapped(item.text, indent: column)
            let head = "  " + item.term
            if head.utf8.count + 2 > column {
                result += head + "\n" + body
            } else {
                result += head + body.dropFirst(head.utf8.count)
            }
        }
        return result
    }

    /// The words over lines of at most the width (no word is broken), each line indented and ended by a newline.
    private func wrapped(_ text: String, indent: Int) -> String {
        let room = max(20, width - indent)
        let margin = String(repeating: " ", count: indent)
        var result = ""
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > room {
                result += margin + line + "\n"
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return result + margin + line + "\n"
    }
}
