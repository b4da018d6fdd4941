import Foundation
import WeirAudit

/// A part of a screen: what it does, and what is wrong with it.
struct TruthPart {
    var name: String
    var plan: Plan
    var labels: [TruthScreen.Label] = []
    /// What the responses that end it hold: what comes after it has to carry these.
    var gives: [String]
    /// What is wrong with it matters only where it holds the screen up.
    var isAboutTime = false
}

/// Makes parts of screens.
///
/// Each begins with requests that carry values from the part before it, unless a person paused in between.
struct TruthParts {
    var make: PlanBuilder
    /// Tells the paths of parts apart.
    private var number = 0
    /// Which server the parts are on.
    var host = 0
    private var ownHosts = 20
    /// The values that the next part has to carry.
    var needs: [String] = []

    init(seed: UInt64) { make = PlanBuilder(seed: seed) }

    // MARK: Tools

    /// A word that no identifier looks like, one for each part.
    mutating func area() -> String {
        number += 1
        let words = [
            "harbour", "library", "branch", "shelf", "member", "reading", "opening", "edition", "catalogue", "fiction",
        ]
        let letters = "abcdefghij".map(String.init)
        return "\(words[number % words.count])-\(letters[host % 10])\(letters[number / 10 % 10])\(letters[number % 10])"
    }

    /// A server that no other part uses.
    mutating func ownHost() -> Int {
        ownHosts += 1
        return ownHosts
    }

    /// A target that carries what the part before it gave.
    func entry(_ path: String) -> String {
        needs.isEmpty
            ? path : path + (path.contains("?") ? "&" : "?") + needs.map { "stepKey=\($0)" }.joined(separator: "&")
    }

    /// A body with a value in it that can be asked for.
    mutating func token() -> (value: String, body: String) {
        let value = make.identifier()
        return (value, #"{"stepKey":"\#(value)"}"#)
    }

    mutating func call(_ target: String, _ reply: Reply, method: String = "GET", body: String? = nil) -> Call {
        var call = make.call(target, method: method, body: body, reply)
        call.host = host
        return call
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &make.random) }
    mutating func coin() -> Bool { Bool.random(using: &make.random) }

    /// One request that needs what came before, and gives a value.
    mutating func single(_ path: String, _ delay: Double? = nil) -> (call: Call, gives: String) {
        let token = token()
        let delay = delay ?? make.ms(20...50)
        return (call(entry(path), Reply(delay, body: token.body)), token.value)
    }

    // MARK: Shape

    mutating func waterfall() -> TruthPart {
        let area = area()
        let count = number(2...5)
        let names = ["profile", "feed", "news", "offers", "weather"]
        var calls: [Call] = []
        var last = ""
        for index in 0..<count {
            let token = token()
            last = token.value
            let target = "/\(area)/\(names[index])"
            calls.append(call(index == 0 ? entry(target) : target, Reply(make.ms(50...90), body: token.body)))
        }
        return TruthPart(
            name: "waterfall \(count)", plan: .serial(calls.map(Plan.call)),
            labels: [.init(.waterfall, calls.map(\.id))],
            gives: [last], isAboutTime: true)
    }

    /// Pages by number, one after another: each could be asked for at once.
    mutating func numberedPages() -> TruthPart {
        let area = area()
        let count = number(3...5)
        var calls: [Call] = []
        var last = ""
        let name = coin() ? "page" : "offset"
        for index in 0..<count {
            let token = token()
            last = token.value
            let target = "/\(area)?\(name)=\(name == "page" ? index + 1 : index * 20)"
            calls.append(call(index == 0 ? entry(target) : target, Reply(make.ms(50...80), body: token.body)))
        }
        return TruthPart(
            name: "numbered pages \(count)", plan: .serial(calls.map(Plan.call)),
            labels: [.init(.waterfall, calls.map(\.id))], gives: [last], isAboutTime: true)
    }

    /// Each needs the one before.
    mutating func chain() -> TruthPart {
        let area = area()
        var calls: [Call] = []
        for index in 0..<number(2...4) {
            let (call, value) = single("/\(area)/step\(["", "two", "three", "four"][index])", make.ms(30...60))
            calls.append(call)
            needs = [value]
        }
        return TruthPart(name: "chain", plan: .serial(calls.map(Plan.call)), gives: needs)
    }

    /// Each page names the next.
    mutating func cursorPages() -> TruthPart {
        let area = area()
        var calls: [Call] = []
        var cursor = make.identifier()
        let count = number(3...5)
        for index in 0..<count {
            let next = make.identifier()
            let target = index == 0 ? entry("/\(area)/entries") : "/\(area)/entries?cursor=\(cursor)"
            let isLast = index == count - 1
            let body = isLast ? #"{"stepKey":"\#(next)"}"# : #"{"items":[1,2,3],"nextCursor":"\#(next)"}"#
            calls.append(call(target, Reply(make.ms(30...60), body: body)))
            cursor = next
        }
        return TruthPart(name: "cursor pages", plan: .serial(calls.map(Plan.call)), gives: [cursor])
    }

    /// Fast enough one after another.
    mutating func shortRow() -> TruthPart {
        let area = area()
        var calls: [Call] = []
        var last = ""
        for index in 0..<2 {
            let token = token()
            last = token.value
            calls.append(call(entry("/\(area)/\(["quick", "brown"][index])"), Reply(2, body: token.body)))
        }
        return TruthPart(name: "short row", plan: .serial(calls.map(Plan.call)), gives: [last])
    }

    /// A person does something in between.
    mutating func pausedRow() -> TruthPart {
        let area = area()
        let first = single("/\(area)/before")
        needs = []
        let second = single("/\(area)/after", 50)
        return TruthPart(
            name: "paused row", plan: .serial([.call(first.call), .pause(640), .call(second.call)]),
            gives: [second.gives])
    }

    // MARK: Lists

    enum ListShape: CaseIterable { case serial, parallel, slugs, bodies, graphQL, many }

    mutating func list(_ shape: ListShape) -> TruthPart {
        let area = area()
        let count = shape == .many ? number(12...20) : shape == .parallel ? number(3...5) : number(3...7)
        let names = ["ann", "bob", "eve", "dan", "kim", "joe", "sue"]
        let ids = (0..<count).map { index in
            shape == .slugs
                ? "\(names[index])-\(["reed", "cole", "wood", "hart", "lane", "ford", "gray"][number(0...6)])"
                : make.identifier()
        }
        let list = call(
            entry("/\(area)"),
            Reply(make.ms(30...50), body: "[" + ids.map { #"{"itemKey":"\#($0)","n":1}"# }.joined(separator: ",") + "]")
        )
        var gives: [String] = []
        let delay = shape == .many ? make.ms(60...80) : make.ms(25...45)
        let elements = ids.map { id in
            let token = token()
            gives.append(token.value)
            let reply = Reply(delay, body: token.body)
            switch shape {
            case .bodies: return call("/\(area)/detail", reply, method: "POST", body: #"{"itemKey":"\#(id)"}"#)
            case .graphQL:
                return call(
                    "/graphql", reply, method: "POST",
                    body:
                        #"{"operationName":"Item","query":"query Item($k: ID!) { item(key: $k) { \#(area.filter(\.isLetter)) } }","variables":{"itemKey":"\#(id)"}}"#
                )
            default: return call("/\(area)/\(id)", reply)
            }
        }
        let isParallel =
            shape == .parallel || shape == .many || (shape != .serial && shape != .slugs && count <= 5 && coin())
        var labels = [TruthScreen.Label(.nPlusOne, elements.map(\.id))]
        if shape == .many { labels.append(.init(.queueing, [], allowed: elements.map(\.id), minimum: count - 8)) }
        return TruthPart(
            name: "list \(shape) \(count)\(isParallel ? " at once" : "")",
            plan: .serial([
                .call(list), isParallel ? .parallel(elements.map(Plan.call)) : .serial(elements.map(Plan.call)),
            ]),
            labels: labels, gives: isParallel ? gives : gives.suffix(1).map { $0 })
    }

    /// Numbers that nothing gave.
    mutating func likeness() -> TruthPart {
        let area = area()
        var value = ""
        let calls = (0..<number(5...8)).map { index in
            let token = token()
            value = token.value
            let target = "/\(area)/\(number(1000...9_999_999))"
            return call(index == 0 ? entry(target) : target, Reply(make.ms(25...40), body: token.body))
        }
        return TruthPart(
            name: "likeness", plan: .serial(calls.map(Plan.call)), labels: [.init(.nPlusOne, calls.map(\.id))],
            gives: [value])
    }

    /// Different operations at one URL.
    mutating func operations() -> TruthPart {
        let area = area()
        var gives: [String] = []
        let calls = ["Home", "Menu", "Cart", "Tips", "User"].map { name in
            let token = token()
            gives.append(token.value)
            return call(
                entry("/graphql"), Reply(make.ms(30...50), body: token.body), method: "POST",
                body:
                    #"{"operationName":"\#(name)","query":"query \#(name) { \#(area.filter(\.isLetter)) }","variables":{}}"#
            )
        }
        return TruthPart(name: "operations", plan: .parallel(calls.map(Plan.call)), gives: gives)
    }

    /// Pictures are no list's elements, and words are no identifiers.
    mutating func siblings(images: Bool) -> TruthPart {
        let area = area()
        var gives: [String] = []
        let calls = ["home", "menu", "search", "about", "terms"].enumerated().map { index, name in
            if images {
                return call(
                    entry("/\(area)/\(3120 + index).png"),
                    Reply(make.ms(25...45), bytes: make.noise(2_000), type: "image/png"))
            }
            let token = token()
            gives.append(token.value)
            return call(entry("/api/\(area)/\(name)"), Reply(make.ms(25...45), body: token.body))
        }
        guard images else { return TruthPart(name: "words", plan: .parallel(calls.map(Plan.call)), gives: gives) }
        // A picture gives nothing: what comes next waits for data beside it that takes longer.
        let data = single("/api/\(area)/index", 90)
        return TruthPart(
            name: "images", plan: .parallel(calls.dropLast().map(Plan.call) + [.call(data.call)]), gives: [data.gives])
    }

    mutating func twoElements() -> TruthPart {
        let area = area()
        let ids = (0..<2).map { _ in make.identifier() }
        let list = call(
            entry("/\(area)"),
            Reply(30, body: "[" + ids.map { #"{"itemKey":"\#($0)"}"# }.joined(separator: ",") + "]"))
        var gives: [String] = []
        let both = ids.map { id in
            let token = token()
            gives.append(token.value)
            return call("/\(area)/\(id)", Reply(40, body: token.body))
        }
        return TruthPart(
            name: "two elements", plan: .serial([.call(list), .parallel(both.map(Plan.call))]), gives: gives)
    }

    /// The same path on several hosts is meant to be.
    mutating func shards() -> TruthPart {
        let area = area()
        var gives: [String] = []
        let calls = (0..<5).map { index in
            let token = token()
            gives.append(token.value)
            var call = call(entry("/\(area)/\(5120 + index)"), Reply(make.ms(30...50), body: token.body))
            call.host = 10 + index
            return call
        }
        return TruthPart(name: "shards", plan: .parallel(calls.map(Plan.call)), gives: gives)
    }
}
