public import Foundation
import WeirModel

extension NetworkBudget {
    /// Requests that a budget leaves out for a time, and why.
    ///
    /// What it matches does not count against any limit until the day is over; from then on it counts again. In budget files:
    /// `{"route": "legacy/:id", "reason": "moves to the new API, LIB-17", "until": "2027-01-31"}`.
    public struct Allowance: Sendable, Hashable {
        /// Which requests are left out.
        public enum Target: Sendable, Hashable {
            /// Those to one route (see ``RouteTemplate``).
            case route(String)
            /// Those to one host, as `host` or `host:port`.
            case host(String)
        }

        /// Which requests are left out.
        public var target: Target
        /// The most of them, or nil for any number; those beyond it count.
        public var maxRequests: Int?
        /// Why, for those who read the budget.
        public var reason: String
        /// The last day on which it holds, as `2027-01-31`, in UTC.
        public var until: Day

        /// Makes an allowance.
        public init(_ target: Target, maxRequests: Int? = nil, reason: String, until: Day) {
            self.target = target
            self.maxRequests = maxRequests
            self.reason = reason
            self.until = until
        }
    }

    /// A day of the Gregorian calendar, in UTC.
    public struct Day: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The year, 1 to 9999.
        public let year: Int
        /// The month, 1 to 12.
        public let month: Int
        /// The day of the month, from 1.
        public let day: Int

        /// Makes a day, or nil when there is no such day.
        public init?(year: Int, month: Int, day: Int) {
            guard year >= 1, CivilDay(year: year, month: month, day: day) != nil else { return nil }
            self.year = year
            self.month = month
            self.day = day
        }

        /// Reads a day written as `2027-01-31`, or gives nil for anything else.
        public init?(_ text: some StringProtocol) {
            let bytes = Array(text.utf8)
            guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
            func number(_ range: Range<Int>) -> Int? {
                bytes[range].reduce(0) { sum, byte in
                    guard let sum, 0x30...0x39 ~= byte else { return nil }
                    return sum * 10 + Int(byte - 0x30)
                }
            }
            guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
            self.init(year: year, month: month, day: day)
        }

        /// The day that it is now.
        public static var today: Self { Self(Date()) }

        /// The day of a moment.
        public init(_ date: Date) {
            let time = date.timeIntervalSince1970
            let seconds = time.isNaN ? 0 : Int(min(max(time, -6.2e10), 2.5e11).rounded(.down))
            let found = CivilDay.of(secondsSince1970: seconds).day
            (year, month, day) = (found.year, found.month, found.day)
        }

        /// Earlier days come first.
        public static func < (a: Self, b: Self) -> Bool { (a.year, a.month, a.day) < (b.year, b.month, b.day) }

        /// The day as `2027-01-31`.
        public var description: String {
            func padded(_ number: Int, _ width: Int) -> String {
                let text = String(number)
                return String(repeating: "0", count: max(0, width - text.count)) + text
            }
            return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        }
    }
}

extension NetworkBudget.Allowance {
    /// Whether it is about a request.
    func matches(_ url: RequestURL) -> Bool {
        switch target {
        case .route(let route): RouteTemplate(route).matches(path: url.path)
        case .host(let host): url.host.lowercased() == host.lowercased() || url.hostAndPort == host.lowercased()
        }
    }

    /// What it is about, for people.
    var subject: String {
        switch target {
        case .route(let route): "route \(route)"
        case .host(let host): "host \(host)"
        }
    }
}

extension NetworkBudget {
    /// A report without what the allowances of a day leave out.
    func counted(_ report: NetworkAudit.Report, on today: Day) -> NetworkAudit.Report {
        let valid = allowances.filter { $0.until >= today }
        guard !valid.isEmpty else { return report }
        var left = valid.map { $0.maxRequests ?? .max }
        func isLeftOut(_ url: RequestURL?) -> Bool {
            guard let url else { return false }
            guard let index = valid.indices.first(where: { left[$0] > 0 && valid[$0].matches(url) }) else {
                return false
            }
            left[index] -= 1
            return true
        }
        return NetworkAudit.Report(
            name: report.name, records: report.records.filter { !isLeftOut($0.transactions.first?.request.url) },
            openTasks: report.openTasks.filter { !isLeftOut($0.url) },
            unattributed: report.unattributed.filter { !isLeftOut($0.transactions.first?.request.url) },
            marks: report.marks)
    }

    /// The allowances that ended before a day and are about requests of a report.
    func ended(in report: NetworkAudit.Report, on today: Day) -> [Allowance] {
        allowances.filter { allowance in
            allowance.until < today
                && report.records.contains { $0.transactions.first.map { allowance.matches($0.request.url) } ?? false }
        }
    }
}
