extension CompletionScript {
    /// For zsh 5.
    static func zsh(_ tables: [CommandTable]) -> String {
        let shown = tables.filter { !$0.isHidden }
        var text = """
            #compdef weir
            # zsh completion for weir; save it as _weir in a directory of $fpath, or: source <(weir completion zsh)
            _weir() {
                local curcontext="$curcontext" state line
                local -a commands
                commands=(

            """
        for table in shown { text += "        \(quote("\(table.name):\(table.abstract)"))\n" }
        text += """
                )
                _arguments -C \\
                    '(- *)'{-h,--help}'[\(escape(Option.help.help))]' \\
                    '(- *)--version[\(escape(Option.version.help))]' \\
                    '1: :->command' \\
                    '*:: :->arguments'
                case $state in
                command) _describe -t commands 'weir command' commands ;;
                arguments)
                    case $words[1] in

            """
        for table in shown {
            let specifications =
                table.options.flatMap { specification($0, names(tables)) }
                + table.operands.enumerated().map { index, operand in
                    let place = operand.arity == .many ? "*" : String(index + 1)
                    let optional = operand.arity == .optional ? "::" : ":"
                    return quote("\(place)\(optional)\(operand.name):\(action(operand.completion, names(tables)))")
                }
            text += "        \(table.name))\n            _arguments -s -S \\\n"
            text += specifications.map { "                \($0)" }.joined(separator: " \\\n") + " ;;\n"
        }
        return text + """
                    esac ;;
                esac
            }
            if [[ $funcstack[1] == _weir ]]; then _weir "$@"; else compdef _weir weir; fi

            """
    }

    private static func specification(_ option: Option, _ commands: [String]) -> [String] {
        let help = "[\(escape(option.help))]"
        guard let placeholder = option.placeholder else {
            let all = spellings(option)
            return all.map { quote((all.count > 1 ? "(\(all.joined(separator: " ")))" : "") + $0 + help) }
        }
        let repeated = option.isRepeatable ? "*" : ""
        return [quote("\(repeated)\(option.spelling)=\(help):\(placeholder):\(action(option.completion, commands))")]
    }

    private static func action(_ completion: Completion, _ commands: [String]) -> String {
        switch completion {
        case .none: " "
        case .file: "_files"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .commands: "(\(commands.joined(separator: " ")))"
        }
    }

    /// The text inside the brackets of a specification.
    private static func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            if "[]:\\".contains(character) { result += "\\" }
            result += character == "'" ? "'\\''" : String(character)
        }
        return result
    }

    /// A specification whose parts are escaped, or plain text, between quotes.
    private static func quote(_ text: String) -> String { "'\(text)'" }
}
