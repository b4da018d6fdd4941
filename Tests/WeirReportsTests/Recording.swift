import Foundation
import WeirModel

/// Records made by hand, in milliseconds from one origin.
enum Recording {
    static let origin = Date(timeIntervalSinceReferenceDate: 800_000_000)

    static func at(_ milliseconds: Double) -> Date { origin + milliseconds / 1000 }

    /// One exchange over the network; phases follow each other from `start`, in milliseconds.
    static func exchange(
        _ url: String, method: String = "GET", status: Int? = 200, start: Double, queued: Double = 0,
        dns: Double? = nil, connect: Double? = nil, tls: Double? = nil, sending: Double = 0, waiting: Double = 60,
        download: Double = 2, wire: Int64? = 131, decoded: Int64? = nil
    ) -> Transaction {
        var transaction = Transaction(
            request: .init(method: method, url: RequestURL(url)),
            response: status.map { .init(statusCode: $0) },
            resourceFetchType: .networkLoad)
        var now = start
        transaction.fetchStartDate = at(now)
        now += queued
        if let dns {
            transaction.domainLookupStartDate = at(now)
            now += dns
            transaction.domainLookupEndDate = at(now)
        }
        if let connect {
            transaction.connectStartDate = at(now)
            if let tls {
                transaction.secureConnectionStartDate = at(now + connect - tls)
                transaction.secureConnectionEndDate = at(now + connect)
            }
            now += connect
            transaction.connectEndDate = at(now)
        }
        transaction.requestStartDate = at(now)
        now += sending
        transaction.requestEndDate = at(now)
        now += waiting
        transaction.responseStartDate = at(now)
        transaction.responseEndDate = at(now + download)
        transaction.isReusedConnection = connect == nil
        transaction.countOfResponseBodyBytesReceived = wire
        transaction.countOfResponseBodyBytesAfterDecoding = decoded ?? wire
        return transaction
    }

    static func task(
        _ id: UInt64, _ transactions: [Transaction], end: Double? = nil, redirects: Int = 0,
        failure: TaskRecord.Failure? = nil
    ) -> TaskRecord {
        let start = transactions.compactMap(\.fetchStartDate).min() ?? origin
        let last = transactions.compactMap(\.responseEndDate).max() ?? start
        return TaskRecord(
            id: id, start: start, end: end.map(at) ?? last, redirectCount: redirects, transactions: transactions,
            failure: failure)
    }

    /// A screen with one of everything: a cold start, reuse, a redirect, a cache hit, a queue, a failure.
    static var screen: [TaskRecord] {
        let host = "https://api.example.com"
        var cached = Transaction(
            request: .init(url: RequestURL("\(host)/config.json")), response: .init(statusCode: 200),
            resourceFetchType: .localCache)
        cached.fetchStartDate = at(101)
        cached.responseEndDate = at(102)
        var lost = exchange("\(host)/read-marks", method: "PUT", status: nil, start: 190, waiting: 100, wire: nil)
        lost.responseStartDate = nil
        lost.responseEndDate = nil
        return [
            task(
                3,
                [exchange("\(host)/loans?expand=authors&limit=50", start: 104, sending: 1, wire: 702, decoded: 3_310)]),
            task(1, [exchange("\(host)/me", start: 0, dns: 9, connect: 31, tls: 20, wire: 131)]),
            task(2, [cached]),
            task(
                4,
                [
                    exchange("\(host)/books", status: 301, start: 168, waiting: 20, download: 0, wire: 0),
                    exchange(
                        "\(host)/v2/books", start: 190, waiting: 40, download: 30, wire: 123_456, decoded: 900_000),
                ], redirects: 1),
            task(
                5,
                [
                    exchange(
                        "\(host)/covers/0f9c1d7e-5b1c-4e0f-9e53-0c6b3f3f7a52/large.webp", status: 404,
                        start: 168, queued: 60, waiting: 20, wire: 19)
                ]),
            task(
                6, [lost], end: 290,
                failure: .init(
                    domain: "NSURLErrorDomain", code: -1005, message: "The network connection was lost.")),
        ]
    }

    /// Requests with text in them that must not reach a terminal.
    static var hostile: [TaskRecord] {
        let targets = [
            "/esc\u{1B}[2J\u{1B}]0;title\u{7}", "/two\r\nlines\tand\0nul", "/\u{202E}gpj.exe", "/\u{5D0}\u{5D1}",
            "/図書館/\u{1F4DA}", "/c1\u{9B}31m", "/e\u{301}\u{301}\u{301}", "/zero\u{200B}\u{2028}width\u{FEFF}",
            "/private\u{E000}\u{F0000}tag\u{E0041}", "/" + String(repeating: "very-long/", count: 9_000),
            "/" + String(repeating: "\u{1B}", count: 9_000), "", "?",
        ]
        var records = targets.enumerated().map { index, target in
            task(UInt64(index), [exchange("https://h" + target, start: Double(index))])
        }
        records.append(task(90, [exchange("\u{1B}[31m://\u{7}", method: "GE\nT\u{1B}", status: -1, start: 20)]))
        records.append(task(91, [exchange("data:text/html,\u{1B}c", status: Int.max, start: 21, wire: .max)]))
        records.append(task(92, [], end: 30, redirects: .max))
        records.append(
            task(
                93, [exchange("http://h/", status: nil, start: 22, wire: -5)],
                failure: .init(domain: "d\u{1B}", code: .min, message: "line\nbreak \u{1B}[5m and more")))
        return records
    }

    /// A task that was not done.
    static var pending: TaskRecord.Start {
        .init(id: 9, method: "GET", url: "https://api.example.com/events", start: at(250))
    }
}
