import Foundation
import WeirReports

/// What a command reads and writes, so that tests can run it in their own process and compare its text.
struct Context: Sendable {
    /// Standard output.
    var output: any TextOutput
    /// Standard error.
    var errors: any TextOutput
    /// Standard input, up to a size: see ``FileInput``.
    var input: @Sendable (_ limit: Int) throws -> Data
    /// Standard input piece by piece, up to a size.
    var pieces: Pieces
    /// The environment's variables.
    var environment: [String: String]
    /// Whether standard output is a terminal.
    var isTerminal: Bool
    /// Whether standard error is a terminal, on which a line may change.
    var showsProgress: Bool
    /// The columns of a line.
    var width: Int
    /// The time now.
    var now: @Sendable () -> Date
    /// How text is written to standard output.
    var style: TextStyle

    /// Gives an input piece by piece.
    typealias Pieces = @Sendable (_ limit: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Void

    init(
        output: any TextOutput, errors: any TextOutput,
        input: @escaping @Sendable (_ limit: Int) throws -> Data = { _ in Data() },
        pieces: Pieces? = nil,
        environment: [String: String] = [:], isTerminal: Bool = false,
        showsProgress: Bool = false, width: Int = 80,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.output = output
        self.errors = errors
        self.input = input
        self.pieces = pieces ?? { limit, body in try input(limit).withUnsafeBytes(body) }
        self.environment = environment
        self.isTerminal = isTerminal
        self.showsProgress = showsProgress
        self.width = width
        self.now = now
        style = TextStyle(isTerminal: isTerminal, environment: environment)
    }

    /// The help in this context's width.
    var help: HelpText { HelpText(width: min(width, 100), style: style) }

    /// Follows the options that every command takes.
    mutating func apply(_ arguments: ParsedArguments) throws(UsageError) {
        if let width = try arguments.number(.width, in: 20...1000) { self.width = width }
        switch try arguments.word(.color, as: ColorChoice.self) {
        case .always: style.usesColor = true
        case .never: style.usesColor = false
        case .auto, nil: break
        }
    }

    private enum ColorChoice: String, CaseIterable {
        case auto
        case always
        case never
    }
}
