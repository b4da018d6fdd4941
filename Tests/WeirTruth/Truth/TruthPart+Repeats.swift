import Foundation
import WeirAudit

// What is asked for again: rightly or in vain.
extension TruthParts {
    mutating func duplicate() -> TruthPart {
        let area = area()
        let first = single("/\(area)/me")
        let count = number(2...4)
        let copies = (1..<count).map { _ in call(first.call.target, first.call.reply) }
        if coin() {
            // At once.
            return TruthPart(
                name: "duplicate at once \(count)", plan: .parallel(([first.call] + copies).map(Plan.call)),
                labels: [.init(.duplicate, [first.call.id] + copies.map(\.id))], gives: [first.gives])
        }
        needs = [first.gives]
        let other = single("/\(area)/other")
        return TruthPart(
            name: "duplicate in a row \(count)", plan: .serial(([first.call, other.call] + copies).map(Plan.call)),
            labels: [.init(.duplicate, [first.call.id] + copies.map(\.id))], gives: [other.gives])
    }

    enum Harmless: CaseIterable { case accept, unsafe, preflight, hosts }

    /// Looks like the same twice, and is not.
    mutating func harmless(_ kind: Harmless) -> TruthPart {
        let area = area()
        let first = single("/\(area)/thing", 40)
        var second = call(first.call.target, first.call.reply)
        var plan = Plan.parallel([.call(first.call), .call(second)])
        var one = first.call
        switch kind {
        case .accept:
            one.fields = [("Accept", "application/json")]
            second.fields = [("Accept", "text/csv")]
            plan = .parallel([.call(one), .call(second)])
        case .unsafe:
            one.method = "POST"
            one.body = #"{"n":1}"#
            second.method = "POST"
            second.body = #"{"n":1}"#
            plan = .serial([.call(one), .call(second)])
        case .preflight:
            second.method = "OPTIONS"
            second.reply = Reply(20, body: "")
            plan = .serial([.call(second), .call(one)])
        case .hosts:
            second.host = 15
            plan = .parallel([.call(one), .call(second)])
        }
        return TruthPart(name: "harmless \(kind)", plan: plan, gives: [first.gives])
    }

    mutating func nearDuplicate() -> TruthPart {
        let area = area()
        let token = token()
        let reply = Reply(make.ms(30...60), body: token.body)
        let rest = needs.map { "&stepKey=\($0)" }.joined()
        let stamp = number(1_700_000_000...1_799_999_990)
        let targets =
            coin()
            ? ["/\(area)?sort=due&dir=asc\(rest)", "/\(area)?dir=asc&sort=due\(rest)"]
            : ["/\(area)?sort=due&_=\(stamp)\(rest)", "/\(area)?sort=due&_=\(stamp + 7)\(rest)"]
        let calls = targets.map { call($0, reply) }
        return TruthPart(
            name: "near duplicate", plan: coin() ? .serial(calls.map(Plan.call)) : .parallel(calls.map(Plan.call)),
            labels: [.init(.nearDuplicate, calls.map(\.id))], gives: [token.value])
    }

    /// Other parameters, or other answers.
    mutating func differentQueries() -> TruthPart {
        let area = area()
        var gives: [String] = []
        let isBuster = coin()
        let calls = (0..<2).map { index in
            let token = token()
            gives.append(token.value)
            return call(
                entry(
                    isBuster ? "/\(area)?_=\(1_700_000_000 + index * 5)" : "/\(area)?sort=\(["due", "title"][index])"),
                Reply(make.ms(30...60), body: token.body))
        }
        return TruthPart(name: "different queries", plan: .parallel(calls.map(Plan.call)), gives: gives)
    }

    /// A poll in a lane of its own.
    mutating func poll() -> (plan: Plan, label: TruthScreen.Label) {
        let area = area()
        let interval = Double(number(300...420))
        let calls = (0..<number(4...5)).map { _ in call("/\(area)/status", Reply(10, body: #"{"state":"idle"}"#)) }
        return (.serial(calls.flatMap { [.call($0), .pause(interval)] }), .init(.polling, calls.map(\.id)))
    }

    mutating func retryStorm() -> TruthPart {
        let area = area()
        let count = number(3...5)
        let token = token()
        let target = entry("/\(area)/search")
        let isSuccess = coin()
        let calls = (0..<count).map { index in
            var reply = Reply(make.ms(15...40), body: token.body)
            if !isSuccess || index < count - 1 {
                reply = Reply(reply.delay, body: index < count - 1 ? "{}" : token.body)
                reply.status = [500, 502, 503][number(0...2)]
            }
            return call(target, reply)
        }
        let ids = calls.map(\.id)
        let pause = Double(number(0...60))
        return TruthPart(
            name: "retry storm \(count)", plan: .serial(calls.flatMap { [.call($0), .pause(pause)] }),
            labels: [.init(.retryStorm, ids), .init(.failure, ids.dropLast(), allowed: ids)], gives: [token.value],
            isAboutTime: true)
    }

    /// An attempt that failed, and another; or several with longer and longer pauses.
    mutating func retry() -> TruthPart {
        let area = area()
        let token = token()
        let target = entry("/\(area)/search")
        let hasBackoff = coin()
        let calls = (0..<(hasBackoff ? 3 : 2)).map { index in
            let fails = index < (hasBackoff ? 2 : 1)
            var reply = Reply(20, body: fails ? "{}" : token.body)
            if fails { reply.status = 503 }
            return call(target, reply)
        }
        let plans =
            hasBackoff
            ? [.call(calls[0]), .pause(620), .call(calls[1]), .pause(700), .call(calls[2])] : calls.map(Plan.call)
        return TruthPart(
            name: hasBackoff ? "retry with backoff" : "retry", plan: .serial(plans),
            labels: [.init(.failure, calls.dropLast().map(\.id), allowed: calls.map(\.id))], gives: [token.value],
            isAboutTime: true)
    }

    enum Refetch: CaseIterable { case same, validator, changed, noStore }

    /// Asked for again after a while.
    mutating func refetch(_ kind: Refetch) -> TruthPart {
        let area = area()
        let first = single("/\(area)/settings")
        var one = first.call
        var again = call(first.call.target, first.call.reply)
        let later = token()
        switch kind {
        case .same: break
        case .validator:
            one.reply.fields = [("ETag", "\"5a1\"")]
            again.reply.fields = [("ETag", "\"5a1\"")]
        case .changed: again.reply = Reply(30, body: later.body)
        case .noStore:
            one.reply.fields = [("Cache-Control", "no-store")]
            again.reply.fields = [("Cache-Control", "no-store")]
        }
        let both = [one.id, again.id]
        var labels = [TruthScreen.Label(.duplicate, both)]
        if kind == .same || kind == .validator { labels.append(.init(.cacheable, both)) }
        return TruthPart(
            name: "refetch \(kind)", plan: .serial([.call(one), .pause(2_150), .call(again)]), labels: labels,
            gives: [kind == .changed ? later.value : first.gives])
    }

    mutating func failure() -> TruthPart {
        let area = area()
        var (call, value) = single("/\(area)/flags")
        call.reply.status = [401, 404, 500][number(0...2)]
        return TruthPart(
            name: "failure", plan: .call(call), labels: [.init(.failure, [call.id])], gives: [value], isAboutTime: true)
    }

    /// Fails, and nobody waits for it.
    mutating func harmlessFailure() -> TruthPart {
        let area = area()
        var (failing, _) = single("/\(area)/hint", 10)
        failing.reply.status = 404
        let longer = single("/\(area)/content", 90)
        return TruthPart(
            name: "harmless failure", plan: .parallel([.call(failing), .call(longer.call)]), gives: [longer.gives])
    }
}
