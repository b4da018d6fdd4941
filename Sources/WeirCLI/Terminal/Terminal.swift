import Foundation

/// What is known of the terminal behind a descriptor.
enum Terminal {
    /// Whether a descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The columns of a line: `COLUMNS`, else the terminal's own, else 80.
    static func width(of descriptor: Int32, environment: [String: String]) -> Int {
        let named = environment["COLUMNS"].flatMap(ParsedArguments.decimal) ?? 0
        if named > 0 { return min(named, 10_000) }
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return 80
    }
}
