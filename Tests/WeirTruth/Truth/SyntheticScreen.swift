import Foundation
package import WeirAudit
import WeirModel

/// Records of what the server cannot do yet (TLS, HTTP/2, names that are looked up), made by hand, with labels.
package struct SyntheticScreen: Sendable {
    package var report: NetworkAudit.Report
    package var labels: [TruthScreen.Label]
    package var name: String

    /// The rules that only these screens try.
    package static let rules: Set<Finding.Rule> = [.slowDNS, .slowTLS]

    /// The screen of a seed.
    package init(seed: UInt64) {
        var make = SyntheticRecords(seed: seed &* 104_729 &+ 5)
        let kind = make.number(0...8)
        switch kind {
        case 0: make.connect(dns: 40, tcp: 30, tls: 32, version: 0x0304)
        case 1: make.connect(dns: make.ms(110...300), tcp: 30, tls: 32, version: 0x0304, rule: .slowDNS)
        case 2: make.connect(dns: nil, tcp: make.ms(25...80), tlsTimes: 2.05, version: 0x0303, rule: .slowTLS)
        case 3: make.connect(dns: 20, tcp: make.ms(25...60), tlsTimes: 3.2, version: 0x0304, rule: .slowTLS)
        case 4: make.connect(dns: 10, tcp: make.ms(8...12), tlsTimes: 1.1, version: 0x0303)
        case 5: make.handshakeTrap()
        case 6: make.manyOverHTTP2()
        case 7: make.secondConnection()
        default:
            make.connect(dns: make.ms(120...200), tcp: 30, tls: 95, version: 0x0304, rule: .slowDNS)
            make.labels.append(.init(.slowTLS, [0], allowed: [0]))
        }
        report = NetworkAudit.Report(records: make.records)
        labels = make.labels
        name = "synthetic \(seed) kind \(kind)"
    }
}

private struct SyntheticRecords {
    var make: PlanBuilder
    var records: [TaskRecord] = []
    var labels: [TruthScreen.Label] = []

    init(seed: UInt64) { make = PlanBuilder(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &make.random) }
    mutating func ms(_ range: ClosedRange<Int>) -> Double { make.ms(range) }

    private func at(_ milliseconds: Double) -> Date {
        Date(timeIntervalSinceReferenceDate: 790_000_000 + milliseconds / 1000)
    }

    /// One exchange from `start` to `end`, sent at `sent`.
    private mutating func add(
        _ path: String, _ start: Double, sent: Double, end: Double, version: String, reused: Bool,
        _ change: (inout Transaction) -> Void = { _ in }
    ) {
        var transaction = Transaction(
            request: .init(url: RequestURL("https://api.example\(path)")),
            response: .init(
                statusCode: 200, headerFields: [HeaderField(name: "Content-Type", value: "application/json")]),
            resourceFetchType: .networkLoad)
        transaction.fetchStartDate = at(start)
        transaction.requestStartDate = at(sent)
        transaction.requestEndDate = at(sent + 0.2)
        transaction.responseStartDate = at(end - 0.5)
        transaction.responseEndDate = at(end)
        transaction.networkProtocolName = version
        transaction.isReusedConnection = reused
        transaction.countOfResponseBodyBytesReceived = 300
        transaction.countOfResponseBodyBytesAfterDecoding = 300
        change(&transaction)
        var record = TaskRecord(
            id: UInt64(records.count + 1), start: at(start), end: at(end), transactions: [transaction])
        record.isExamined = true
        records.append(record)
    }

    /// One cold request with these phases, and one that follows it and needs it.
    mutating func connect(
        dns: Double?, tcp: Double, tls: Double? = nil, tlsTimes: Double = 1, version: UInt16, rule: Finding.Rule? = nil
    ) {
        let tls = tls ?? tcp * tlsTimes
        let looked = dns ?? 0
        let ready = looked + tcp + tls
        let (zero, connected, secured) = (at(0), at(looked), at(looked + tcp))
        let done = at(ready)
        add("/start", 0, sent: ready, end: ready + tcp + 40, version: "http/1.1", reused: false) { transaction in
            if dns != nil {
                transaction.domainLookupStartDate = zero
                transaction.domainLookupEndDate = connected
            }
            transaction.connectStartDate = connected
            transaction.secureConnectionStartDate = secured
            transaction.secureConnectionEndDate = done
            transaction.connectEndDate = done
            transaction.negotiatedTLSProtocolVersion = version
        }
        let end = ready + tcp + 40
        add("/next", end + 1, sent: end + 1, end: end + tcp + 50, version: "http/1.1", reused: true)
        records[1].edges = [.init(source: 1, kind: .valueFlow, grade: .certain)]
        if let rule { labels.append(.init(rule, [0], allowed: [0])) }
    }

    /// Nine requests that wait for one handshake: no limit of connections.
    mutating func handshakeTrap() {
        let shake = ms(120...200)
        for index in 0..<9 {
            let (zero, half, done) = (at(0), at(shake / 2), at(shake))
            add(
                "/part/\("abcdefghi".map(String.init)[index])x", 0, sent: shake, end: shake + ms(60...90),
                version: "h2", reused: index > 0
            ) {
                transaction in
                guard index == 0 else { return }
                transaction.connectStartDate = zero
                transaction.secureConnectionStartDate = half
                transaction.secureConnectionEndDate = done
                transaction.connectEndDate = done
                transaction.negotiatedTLSProtocolVersion = 0x0304
            }
        }
    }

    /// Many at once on one connection, as is right.
    mutating func manyOverHTTP2() {
        for index in 0..<number(8...20) {
            add(
                "/part/\("abcdefghijklmnopqrstuvwxyz".map(String.init)[index])x", 0, sent: 0.2, end: ms(60...120),
                version: "h2", reused: true)
        }
    }

    /// A second connection where one carries all.
    mutating func secondConnection() {
        for index in 0..<4 {
            let start = Double(index) * 100
            let (a, b, c) = (at(start), at(start + 20), at(start + 42))
            add(
                "/step/\("abcd".map(String.init)[index])x", start, sent: start + (index % 2 == 0 ? 42 : 0),
                end: start + 98, version: "h2", reused: index % 2 == 1
            ) {
                transaction in
                guard index % 2 == 0 else { return }
                transaction.connectStartDate = a
                transaction.secureConnectionStartDate = b
                transaction.secureConnectionEndDate = c
                transaction.connectEndDate = c
                transaction.negotiatedTLSProtocolVersion = 0x0304
            }
            if index > 0 { records[index].edges = [.init(source: UInt64(index), kind: .valueFlow, grade: .certain)] }
        }
        labels.append(.init(.coldConnections, [2]))
    }
}
