import WeirModel

/// How old a stored response is and how long it is fresh (RFC 9111, section 4.2), in seconds.
struct Freshness: Sendable, Equatable {
    /// The most that is guessed.
    static let longestGuess: Double = 86_400

    var age: Double
    var lifetime: Double
    /// Whether the lifetime is a guess from Last-Modified.
    var isGuessed = false

    /// How long it has been stale; not positive while it is fresh.
    var staleness: Double { age - lifetime }
    var isFresh: Bool { lifetime > age }

    init(_ stored: StoredResponse, control: CacheControl, now: Double) {
        age = Self.age(stored, now: now)
        let lifetime = Self.lifetime(
            status: stored.status, stored.fields, control: control, responseTime: stored.responseTime)
        self.lifetime = lifetime?.seconds ?? 0
        isGuessed = lifetime?.isGuessed ?? false
    }

    /// The age now (RFC 9111, section 4.2.3).
    static func age(_ stored: StoredResponse, now: Double) -> Double {
        let date = stored["date"].flatMap { HTTPDate.seconds($0, now: stored.responseTime) }
        let apparent = date.map { max(0, stored.responseTime - $0) } ?? 0
        // Of several values the first; what is no number is as good as not there (section 5.1).
        let told = stored["age"].flatMap { value in
            value.utf8.split(separator: 0x2C, omittingEmptySubsequences: false).first.map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        let value = told.flatMap { CacheControl.seconds(Self.trimmed($0)) } ?? 0
        let corrected = value + max(0, stored.responseTime - stored.requestTime)
        // A clock that was set back makes nothing younger.
        return max(apparent, corrected) + max(0, now - stored.responseTime)
    }

    /// How long a response is fresh from when it was made; nil when nothing tells.
    static func lifetime(
        status: Int, _ fields: [HeaderField], control: CacheControl, responseTime: Double
    ) -> (seconds: Double, isGuessed: Bool)? {
        switch control.seconds("max-age") {
        case .value(let seconds): return (seconds, false)
        case .invalid: return (0, false)
        case .absent: break
        }
        let date = fields["date"].flatMap { HTTPDate.seconds($0, now: responseTime) } ?? responseTime
        if let expires = fields["expires"] {
            // What is no date, 0 in particular, is in the past (section 5.3).
            return (HTTPDate.seconds(expires, now: responseTime).map { max(0, $0 - date) } ?? 0, false)
        }
        guard isGuessable(status) || control.has("public"), let modified = fields["last-modified"],
            let then = HTTPDate.seconds(modified, now: responseTime), date > then
        else { return nil }
        return (min(longestGuess, (date - then) / 10), true)
    }

    /// Statuses of which a response may be stored without being told so (RFC 9110, section 15.1).
    static func isGuessable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = text.utf8.drop(while: isSpace)
        let end = start.reversed().prefix(while: isSpace).count
        return String(decoding: start.dropLast(end), as: UTF8.self)
    }
}
