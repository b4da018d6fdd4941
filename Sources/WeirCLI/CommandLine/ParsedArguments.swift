/// A command line matched against a command's table.
struct ParsedArguments: Sendable, Hashable {
    /// A value and where it was written.
    struct Value: Sendable, Hashable {
        var text: String
        var origin: SplitArguments.Origin
    }

    private let table: String
    private var options: [String: [Value]] = [:]
    private var operands: [String: [Value]] = [:]

    /// Matches arguments.
    ///
    /// Options may stand anywhere before `--`. A value that begins with a dash is written `--name=-value`.
    init(_ split: SplitArguments, table: CommandTable) throws(UsageError) {
        self.table = table.name
        var values: [Value] = []
        var rest = split.elements[...]
        while let element = rest.popFirst() {
            switch element {
            case .value(let text, let origin), .literal(let text, let origin):
                values.append(Value(text: text, origin: origin))
            case .short(let letter, let origin):
                guard let option = table.options.first(where: { $0.short == letter }) else {
                    throw UsageError(.unknownOption("-\(letter)", suggestion: nil), origin, command: table.name)
                }
                try add(option, nil, origin, &rest)
            case .long(let name, let value, let origin):
                guard let option = table.options.first(where: { $0.name == name }) else {
                    let near = EditDistance.nearest(to: name, in: table.options.map(\.name)).map { "--\($0)" }
                    throw UsageError(.unknownOption("--\(name)", suggestion: near), origin, command: table.name)
                }
                try add(option, value, origin, &rest)
            }
        }
        try assign(values, to: table.operands)
    }

    private mutating func add(
        _ option: Option, _ value: String?, _ origin: SplitArguments.Origin,
        _ rest: inout ArraySlice<SplitArguments.Element>
    ) throws(UsageError) {
        if !option.isRepeatable, options[option.name] != nil {
            throw UsageError(.repeated(option.spelling), origin, command: table)
        }
        guard let placeholder = option.placeholder else {
            if value != nil { throw UsageError(.unexpectedValue(option.spelling), origin, command: table) }
            options[option.name] = [Value(text: "", origin: origin)]
            return
        }
        if let value {
            options[option.name, default: []].append(Value(text: value, origin: origin))
        } else if case .value(let text, _) = rest.first {
            rest.removeFirst()
            options[option.name, default: []].append(Value(text: text, origin: origin))
        } else {
            // `-5` may have been meant as the value; no option is a digit.
            let next = rest.first.map(\.origin.text).flatMap { text in
                text.utf8.dropFirst().first.map { 0x30...0x39 ~= $0 } == true ? text : nil
            }
            throw UsageError(.missingValue(option.spelling, placeholder, next: next), origin, command: table)
        }
    }

    private mutating func assign(_ values: [Value], to operands: [Operand]) throws(UsageError) {
        var rest = values[...]
        for operand in operands {
            switch operand.arity {
            case .one, .optional:
                if let value = rest.popFirst() {
                    self.operands[operand.name] = [value]
                } else if operand.arity == .one {
                    throw UsageError(.missingOperand(operand.name), nil, command: table)
                }
            case .many:
                if rest.isEmpty { throw UsageError(.missingOperand(operand.name), nil, command: table) }
                self.operands[operand.name] = Array(rest)
                rest = []
            }
        }
        if let extra = rest.first {
            throw UsageError(.unexpectedOperand(extra.text), extra.origin, command: table)
        }
    }
}

extension ParsedArguments {
    /// Whether a flag was given.
    func has(_ option: Option) -> Bool { options[option.name] != nil }

    /// The values of an option that may be repeated, in order.
    func values(_ option: Option) -> [Value] { options[option.name] ?? [] }

    /// The text of an option, or nil.
    func text(_ option: Option) -> String? { options[option.name]?.last?.text }

    /// The text of an operand, or nil.
    func text(_ operand: Operand) -> String? { operands[operand.name]?.first?.text }

    /// An operand and where it was written, or nil.
    func value(_ operand: Operand) -> Value? { operands[operand.name]?.first }

    /// An operand that is one of a few words.
    func word<Word: RawRepresentable & CaseIterable>(
        _ operand: Operand, as type: Word.Type
    ) throws(UsageError) -> Word where Word.RawValue == String {
        guard let value = value(operand) else {
            throw UsageError(.missingOperand(operand.name), nil, command: table)
        }
        guard let word = Word(rawValue: value.text) else {
            throw invalid(operand.name, value, expected: Self.list(Word.allCases.map(\.rawValue)))
        }
        return word
    }

    /// The texts of an operand that takes several.
    func texts(_ operand: Operand) -> [String] { (operands[operand.name] ?? []).map(\.text) }

    /// The values of an operand that takes several, and where they were written.
    func allValues(_ operand: Operand) -> [Value] { operands[operand.name] ?? [] }

    /// The value of an option made into what it means, or nil when it was not given.
    ///
    /// - Parameters:
    ///   - option: The option.
    ///   - expected: What the value should have been, for the error: "a whole number from 1 to 9".
    ///   - convert: Gives nil for a value that is none.
    func value<Result>(
        _ option: Option, expected: String, _ convert: (String) -> Result?
    ) throws(UsageError) -> Result? {
        guard let value = options[option.name]?.last else { return nil }
        guard let result = convert(value.text) else {
            throw UsageError(
                .invalidValue(option.spelling, value.text, expected: expected), value.origin, command: table)
        }
        return result
    }

    /// The value of an option that is one of a few words.
    func word<Word: RawRepresentable & CaseIterable>(
        _ option: Option, as type: Word.Type
    ) throws(UsageError) -> Word? where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue)
        return try value(option, expected: Self.list(words)) { Word(rawValue: $0) }
    }

    /// A whole number within a range.
    func number(_ option: Option, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        try value(option, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Self.decimal(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// An error for two options that exclude each other.
    func exclude(_ a: Option, _ b: Option) throws(UsageError) {
        guard has(a), let second = options[b.name]?.last else { return }
        throw UsageError(.exclusive(a.spelling, b.spelling), second.origin, command: table)
    }

    /// An error about a value of this command line.
    func invalid(_ name: String, _ value: Value, expected: String) -> UsageError {
        UsageError(.invalidValue(name, value.text, expected: expected), value.origin, command: table)
    }

    /// Digits alone, without sign and within `Int`.
    static func decimal(_ text: String) -> Int? {
        guard (1...18).contains(text.utf8.count) else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }

    /// `a, b or c`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
