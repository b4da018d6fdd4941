import Foundation
import WeirAudit

// Connections, sizes, servers.
extension TruthParts {
    /// Many at once, on a server of their own.
    mutating func grid(_ count: ClosedRange<Int>, delay: ClosedRange<Int>) -> (calls: [Call], gives: [String]) {
        let area = area()
        let own = ownHost()
        var gives: [String] = []
        let calls = (0..<number(count)).map { index in
            let token = token()
            gives.append(token.value)
            var call = call(
                entry(
                    "/\(area)/\(["north", "south", "east", "west"][index % 4])-\(["a", "b", "c", "d", "e", "f"][index / 4])x"
                ),
                Reply(make.ms(delay), body: token.body))
            call.host = own
            return call
        }
        return (calls, gives)
    }

    mutating func queueing() -> TruthPart {
        let (calls, gives) = grid(10...22, delay: 70...90)
        return TruthPart(
            name: "queueing \(calls.count)", plan: .parallel(calls.map(Plan.call)),
            labels: [.init(.queueing, [], allowed: calls.map(\.id), minimum: calls.count - 8)], gives: gives)
    }

    /// Six at once: none waits, and one connection would do; or more, which wait for a moment only.
    mutating func http1() -> TruthPart {
        let isShort = coin()
        let (calls, gives) = isShort ? grid(9...10, delay: 8...10) : grid(6...6, delay: 60...90)
        return TruthPart(
            name: isShort ? "short queue" : "six at once", plan: .parallel(calls.map(Plan.call)),
            labels: [.init(.http1, calls.map(\.id))], gives: gives)
    }

    mutating func coldConnections() -> TruthPart {
        let area = area()
        let isClosed = coin()
        let own = ownHost()
        var calls: [Call] = []
        for index in 0..<(isClosed ? number(3...5) : 4) {
            var (call, value) = single("/\(area)/step\(["", "two", "three", "four", "five"][index])")
            call.host = own
            call.reply.closes = isClosed
            call.session = isClosed ? 0 : index % 2
            calls.append(call)
            needs = [value]
        }
        return TruthPart(
            name: isClosed ? "connections closed" : "two sessions", plan: .serial(calls.map(Plan.call)),
            labels: [.init(.coldConnections, isClosed ? calls.dropFirst().map(\.id) : [calls[1].id])], gives: needs)
    }

    /// A few at once, twice: each connection is needed.
    mutating func neededConnections() -> TruthPart {
        let area = area()
        let own = ownHost()
        var plans: [Plan] = []
        for wave in ["one", "two"] {
            var gives: [String] = []
            plans.append(
                .parallel(
                    (0..<3).map { index in
                        let token = token()
                        gives.append(token.value)
                        var call = call(
                            entry("/\(area)/\(wave)/\(["a", "b", "c"][index])x"),
                            Reply(make.ms(30...50), body: token.body))
                        call.host = own
                        return .call(call)
                    }))
            needs = gives
        }
        return TruthPart(name: "needed connections", plan: .serial(plans), gives: needs)
    }

    mutating func uncompressed() -> TruthPart {
        let area = area()
        let token = token()
        let rows = make.json(number(22_000...60_000))
        let call = call(
            entry("/\(area)/rows"), Reply(make.ms(20...50), body: #"{"stepKey":"\#(token.value)","rows":\#(rows)}"#))
        return TruthPart(
            name: "uncompressed", plan: .call(call), labels: [.init(.uncompressed, [call.id])], gives: [token.value])
    }

    enum Uncoded: CaseIterable { case compressed, small, picture, noise, notOffered, noTransform, proxy, events }

    /// Sent as it is, rightly.
    mutating func rightlyUncoded(_ kind: Uncoded) -> TruthPart {
        let area = area()
        let token = token()
        let rows = make.json(kind == .small ? 900 : 24_000)
        var call = call(entry("/\(area)/rows"), Reply(60, body: #"{"stepKey":"\#(token.value)","rows":\#(rows)}"#))
        var gives = [token.value]
        var others: [Plan] = []
        switch kind {
        case .compressed: call.reply.isCompressed = true
        case .small: break
        case .picture, .noise, .events:
            if kind == .events {
                call.reply = Reply(20, body: String(repeating: "data: {\"n\":1}\n\n", count: 1_500))
                call.reply.type = "text/event-stream"
            } else {
                call.reply = Reply(20, bytes: make.noise(30_000), type: kind == .picture ? "image/webp" : "text/plain")
            }
            let data = single("/\(area)/index", 90)
            others = [.call(data.call)]
            gives = [data.gives]
        case .notOffered: call.fields = [("Accept-Encoding", "identity")]
        case .noTransform: call.reply.fields = [("Cache-Control", "no-transform")]
        case .proxy: call.reply.fields = [("X-Content-Encoding-Over-Network", "gzip")]
        }
        return TruthPart(name: "uncoded \(kind)", plan: .parallel([.call(call)] + others), gives: gives)
    }

    mutating func redirects() -> TruthPart {
        let area = area()
        var (call, value) = single("/\(area)/old", 25)
        call.hops = (0..<number(1...3)).map { "/\(area)/\(["new", "newer", "newest"][$0])" }
        return TruthPart(name: "redirects", plan: .call(call), labels: [.init(.redirects, [call.id])], gives: [value])
    }

    /// A Location that is no redirect.
    mutating func created() -> TruthPart {
        let area = area()
        var (call, value) = single("/\(area)/things")
        call.method = "POST"
        call.body = #"{"name":"x"}"#
        call.reply.status = 201
        call.reply.fields = [("Location", "/\(area)/things/new")]
        return TruthPart(name: "created", plan: .call(call), gives: [value])
    }

    mutating func serverBound() -> TruthPart {
        let area = area()
        let (call, value) = single("/\(area)/report", make.ms(650...900))
        return TruthPart(
            name: "server-bound", plan: .call(call), labels: [.init(.serverBound, [call.id])], gives: [value])
    }

    /// Slow, and not the server.
    mutating func slowButNotServer() -> TruthPart {
        let area = area()
        var (call, value) = single("/\(area)/report", make.ms(300...450))
        if coin() {
            let body = #"{"stepKey":"\#(value)","rows":"\#(String(repeating: "x", count: 400))"}"#
            call.reply = Reply(30, body: body)
            call.reply.pace = Double(body.utf8.count) / 750
        }
        return TruthPart(name: "slow but not the server", plan: .call(call), gives: [value])
    }

    mutating func largePayload() -> TruthPart {
        let area = area()
        let call = call(
            entry("/\(area)/picture"), Reply(20, bytes: make.noise(number(520_000...900_000)), type: "image/jpeg"))
        let data = single("/\(area)/index", 120)
        return TruthPart(
            name: "large payload", plan: .parallel([.call(call), .call(data.call)]),
            labels: [.init(.largePayload, [call.id])], gives: [data.gives])
    }

    mutating func payloadThatIsNotLarge() -> TruthPart {
        let area = area()
        let token = token()
        let isText = coin()
        var reply =
            isText
            ? Reply(20, body: #"{"stepKey":"\#(token.value)","rows":\#(make.json(560_000))}"#)
            : Reply(20, bytes: make.noise(300_000), type: "image/jpeg")
        reply.isCompressed = isText
        let call = call(entry("/\(area)/much"), reply)
        let data = single("/\(area)/index", 120)
        return TruthPart(name: "not large", plan: .parallel([.call(call), .call(data.call)]), gives: [data.gives])
    }

    mutating func headers(areLarge: Bool) -> TruthPart {
        let area = area()
        var (call, value) = single("/\(area)/x")
        let size = areLarge ? number(4_400...7_500) : number(200...2_500)
        let text = String(repeating: "v", count: size)
        if coin() { call.fields = [("Cookie", "s=\(text)")] } else { call.reply.fields = [("X-Policy", text)] }
        return TruthPart(
            name: areLarge ? "large headers" : "headers", plan: .call(call),
            labels: areLarge ? [.init(.largeHeaders, [call.id])] : [], gives: [value])
    }

    mutating func stream(isSniffed: Bool) -> TruthPart {
        let area = area()
        let data = single("/\(area)/index", 60)
        needs = [data.gives]
        let type =
            isSniffed
            ? ["text/plain", "text/plain; charset=utf-8", ""][number(0...2)]
            : ["text/event-stream", "application/x-ndjson", "application/json"][number(0...2)]
        let body =
            type == "text/event-stream"
            ? String(repeating: "data: 1\n\n", count: 60) : String(repeating: "{\"n\":1}\n", count: 70)
        var stream = call(entry("/\(area)/live"), Reply(10, body: body))
        stream.reply.type = type
        stream.reply.pace = Double(body.utf8.count) / make.ms(1_150...1_400)
        return TruthPart(
            name: isSniffed ? "sniffed stream" : "typed stream", plan: .serial([.call(data.call), .call(stream)]),
            labels: isSniffed ? [.init(.sniffedStream, [stream.id])] : [], gives: [])
    }
}
