import WeirModel

/// The options that choose a simulated link.
struct LinkOption: Sendable {
    private static let link = Option.value(
        "link", "LINK",
        "Simulate a link: " + LinkProfile.servablePresets.map(\.id).joined(separator: ", ")
            + ", or DOWN/UP/RTT in kbit/s and ms, 0 for no limit",
        completion: .words(LinkProfile.servablePresets.map(\.id)))
    private static let loss = Option.value("loss", "PERCENT", "Lose this part of the packets, each way, on the link")
    private static let jitter = Option.value("jitter", "MS", "Delay packets by up to MS more, each way, on the link")
    private static let seed = Option.value(
        "seed", "N", "Choose the link's random numbers; the same N gives the same ones")

    static let options = [link, loss, jitter, seed]

    /// The link, or nil for none.
    var profile: LinkProfile?
    var seed: UInt64

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let expected =
            "one of " + LinkProfile.servablePresets.map(\.id).joined(separator: ", ")
            + ", or DOWN/UP/RTT such as 780/330/200"
        profile = try arguments.value(Self.link, expected: expected) { text in
            LinkProfile.servablePreset(named: text) ?? Self.custom(text)
        }
        let loss = try arguments.value(Self.loss, expected: "a number from 0 to 100") { text in
            Self.decimal(text).flatMap { $0 <= 100 ? $0 / 100 : nil }
        }
        let jitter = try arguments.number(Self.jitter, in: 0...60_000)
        if loss != nil || jitter != nil, profile == nil {
            profile = LinkProfile(name: "no limit")
        }
        if let loss { profile?.lossRate = loss }
        if let jitter { profile?.jitter = .milliseconds(jitter) }
        seed = UInt64(try arguments.number(Self.seed, in: 0...999_999_999_999_999_999) ?? 0)
    }

    /// The link of `780/330/200`.
    private static func custom(_ text: String) -> LinkProfile? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { decimal(String($0)) }
        guard parts.count == 3, let down = parts[0], let up = parts[1], let trip = parts[2], trip <= 600_000 else {
            return nil
        }
        let oneWay = Duration.microseconds(Int64((trip * 500).rounded()))
        return LinkProfile(
            name: text, downlinkBitsPerSecond: down > 0 ? down * 1000 : nil,
            uplinkBitsPerSecond: up > 0 ? up * 1000 : nil, oneWayDelayDown: oneWay, oneWayDelayUp: oneWay)
    }

    /// Digits with at most one point among them.
    private static func decimal(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard (1...12).contains(bytes.count), bytes.first != UInt8(ascii: "."), bytes.last != UInt8(ascii: "."),
            bytes.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            bytes.count(where: { $0 == UInt8(ascii: ".") }) <= 1
        else { return nil }
        return Double(text)
    }
}

extension LinkOption {
    /// What the link is, for the lines at the start.
    var note: String? {
        guard let profile else { return nil }
        var text = " over \(profile)"
        if profile.lossRate > 0 { text += ", \((profile.lossRate * 1000).rounded() / 10) % lost" }
        if profile.jitter > .zero { text += ", jitter" }
        return text
    }
}
