/// The phrases that stand after a status by a standard, and what programs put there: all others can say anything.
enum ReasonPhrases {
    /// Whether a phrase is one of them, without regard to ASCII case.
    static func contains(_ bytes: [UInt8]) -> Bool {
        bytes.count <= 40 && known.contains(bytes.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 })
    }

    /// RFC 9110, the registry of status codes, and names that browsers give to what is no status.
    private static let known: Set<[UInt8]> = {
        let phrases = """
            |continue|switching protocols|processing|early hints
            |ok|created|accepted|non-authoritative information|no content|reset content|partial content|multi-status
            |already reported|im used|connection established
            |multiple choices|moved permanently|found|moved temporarily|see other|not modified|use proxy|temporary redirect
            |permanent redirect|internal redirect|hsts policy
            |bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable
            |proxy authentication required|request timeout|request time-out|conflict|gone|length required
            |precondition failed|content too large|payload too large|request entity too large|uri too long
            |unsupported media type|range not satisfiable|requested range not satisfiable|expectation failed
            |misdirected request|unprocessable content|unprocessable entity|locked|failed dependency|too early
            |upgrade required|precondition required|too many requests|request header fields too large
            |unavailable for legal reasons
            |internal server error|server error|not implemented|bad gateway|service unavailable|gateway timeout
            |gateway time-out|http version not supported|insufficient storage|loop detected|not extended
            |network authentication required|service worker fallback required|unknown|error|no error
            """
        return Set(
            phrases.split(whereSeparator: { $0 == "|" || $0 == "\n" }).map { Array($0.utf8) } + [[]])
    }()
}
