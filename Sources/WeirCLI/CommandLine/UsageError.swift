import WeirReports

/// A command line that does not fit: what is wrong, where, and what was perhaps meant.
struct UsageError: Error, Sendable, Hashable {
    /// What is wrong.
    enum Reason: Sendable, Hashable {
        case missingCommand
        case unknownCommand(String, suggestion: String?)
        case unknownOption(String, suggestion: String?)
        case missingValue(String, String, next: String?)
        case unexpectedValue(String)
        case repeated(String)
        case missingOperand(String)
        case unexpectedOperand(String)
        case invalidValue(String, String, expected: String)
        case exclusive(String, String)
    }

    var reason: Reason
    /// Where it was written; nil for what is missing.
    var origin: SplitArguments.Origin?
    /// The command whose usage is shown; nil for the program's.
    var command: String?

    init(_ reason: Reason, _ origin: SplitArguments.Origin?, command: String?) {
        self.reason = reason
        self.origin = origin
        self.command = command
    }
}

extension UsageError: CustomStringConvertible {
    /// One sentence, with nothing of the command line's text that would disturb a terminal.
    var description: String {
        let place = origin.map { " (argument \($0.index))" } ?? ""
        switch reason {
        case .missingCommand:
            return "a command is missing"
        case .unknownCommand(let name, let suggestion):
            return "unknown command \(Self.quote(name))" + Self.hint(suggestion)
        case .unknownOption(let name, let suggestion):
            return "unknown option \(Self.quote(name))\(place)" + Self.hint(suggestion)
        case .missingValue(let option, let placeholder, let next):
            let text = "\(option)\(place) needs a value: \(option) \(placeholder)"
            guard let next else { return text }
            // What begins with a dash is an option, unless it stands behind the sign of equality.
            return text + "; one that begins with a dash is written \(option)=\(PrintableText(next).shortened(to: 60))"
        case .unexpectedValue(let option):
            return "\(option)\(place) takes no value"
        case .repeated(let option):
            return "\(option)\(place) is given twice"
        case .missingOperand(let name):
            return "\(name) is missing"
        case .unexpectedOperand(let text):
            return "unexpected argument \(Self.quote(text))\(place)"
        case .invalidValue(let name, let text, let expected):
            return "\(name)\(place) is \(Self.quote(text)), but should be \(expected)"
        case .exclusive(let a, let b):
            return "\(b)\(place) cannot be given together with \(a)"
        }
    }

    private static func quote(_ text: String) -> String {
        "'\(PrintableText(text).shortened(to: 60))'"
    }

    private static func hint(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean '\($0)'?" } ?? ""
    }
}
