extension CompletionScript {
    /// For bash 3.2 and later (3.2 is what macOS has).
    static func bash(_ tables: [CommandTable]) -> String {
        let names = names(tables)
        let first = names + spellings(.help) + spellings(.version)
        var text = """
            # bash completion for weir; load it with: source <(weir completion bash)
            _weir_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
            _weir_files() {
                local IFS=$'\\n'
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$cur"))
            }
            _weir() {
                local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
                # --name=value comes as three words.
                if [[ $cur == "=" ]]; then
                    cur=
                elif [[ $prev == "=" ]]; then
                    prev=${COMP_WORDS[COMP_CWORD-2]}
                fi
                COMPREPLY=()
                if [[ $COMP_CWORD -eq 1 ]]; then
                    _weir_words "\(first.joined(separator: " "))"
                    return
                fi
                case ${COMP_WORDS[1]} in

            """
        for table in tables where !table.isHidden {
            text += "    \(table.name))\n        case $prev in\n"
            for option in table.options where option.placeholder != nil {
                let pattern = spellings(option).joined(separator: "|")
                text += "        \(pattern)) \(bashAction(option.completion, names)); return ;;\n"
            }
            text += "        esac\n"
            let options = table.options.flatMap(spellings).joined(separator: " ")
            text += "        if [[ $cur == -* ]]; then _weir_words \"\(options)\"; return; fi\n"
            for operand in table.operands.prefix(1) {
                text += "        \(bashAction(operand.completion, names))\n"
            }
            text += "        ;;\n"
        }
        return text + """
                esac
            }
            complete -F _weir weir

            """
    }

    private static func bashAction(_ completion: Completion, _ commands: [String]) -> String {
        switch completion {
        case .none: ":"
        case .file: "_weir_files"
        case .words(let words): "_weir_words \"\(words.joined(separator: " "))\""
        case .commands: "_weir_words \"\(commands.joined(separator: " "))\""
        }
    }
}
