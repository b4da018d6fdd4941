import Foundation

/// What a poll costs in a day.
public struct PollingCost: Sendable, Hashable {
    /// How often the device wakes up for it in a day.
    public let wakeUpsPerDay: Double
    /// Bytes in a day: header bytes of every poll, and body bytes of those that found a change.
    public let bytesPerDay: Double
}

extension NetworkAudit {
    /// The daily cost of polling.
    ///
    /// Every poll pays for its headers; only a changed answer pays for its body, which supposes that unchanged ones are
    /// answered with 304 (RFC 9110, section 15.4.5). Every 30 s with 600 B of headers and 20 000 B of body: 59 MB and
    /// 2 880 wake-ups when each poll finds a change, 4.6 MB when 5 % do.
    ///
    /// - Parameters:
    ///   - interval: The time between two polls; zero or less costs nothing that can be told, and gives infinity.
    ///   - headers: Header bytes of request and response.
    ///   - body: Body bytes of a changed answer.
    ///   - changeRate: The part of polls that finds a change, from 0 to 1.
    public static func pollingCost(
        every interval: Duration, headers: Int, body: Int, changeRate: Double = 1
    ) -> PollingCost {
        let seconds = Double(interval.components.seconds) + Double(interval.components.attoseconds) * 1e-18
        let wakeUps = seconds > 0 ? 86_400 / seconds : .infinity
        let rate = min(max(changeRate, 0), 1)
        return PollingCost(wakeUpsPerDay: wakeUps, bytesPerDay: wakeUps * (Double(headers) + rate * Double(body)))
    }
}

extension PollingCost: CustomStringConvertible {
    /// Like `59 MB and 2880 wake-ups a day`.
    public var description: String {
        guard wakeUpsPerDay.isFinite else { return "without end" }
        let megabytes = bytesPerDay / 1e6
        let size =
            megabytes >= 10
            ? String(format: "%.0f MB", megabytes)
            : bytesPerDay >= 1e5 ? String(format: "%.1f MB", megabytes) : String(format: "%.0f B", bytesPerDay)
        return size + String(format: " and %.0f wake-ups a day", wakeUpsPerDay)
    }
}
