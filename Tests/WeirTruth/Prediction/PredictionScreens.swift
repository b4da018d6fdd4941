import Foundation
import WeirAudit

extension PredictionScreen {
    /// All screens of the check.
    package static var all: [PredictionScreen] {
        demo + serial + lists + grids + repeats + sizes + servers + mixed
    }

    /// A few of them, for a test: short ones of different kinds.
    package static var sample: [PredictionScreen] {
        [demo[0], demo[2], serial[0], serial[4], lists[0], lists[4], grids[1], repeats[0], sizes[0], servers[0]]
    }

    /// The demonstration's screens and its fixes: 60 ms for each answer.
    package static var demo: [PredictionScreen] {
        func screen(_ isCompressed: Bool) -> (before: Plan, after: Plan) {
            var make = PlanBuilder(seed: 1)
            let ids = (0..<5).map { "b-\(2041 + $0 * 17)" }
            func book(_ id: String) -> String {
                let copies = Array(
                    repeating: #"{"branch":"Harbour library","shelf":"Fiction","status":"available"}"#, count: 25)
                return #"{"id":"\#(id)","title":"Kindred","copies":[\#(copies.joined(separator: ","))]}"#
            }
            func reply(_ body: String) -> Reply {
                var reply = Reply(60, body: body)
                reply.isCompressed = isCompressed
                return reply
            }
            let loans = ids.map { #"{"bookID":"\#($0)","due":"2026-12-10"}"# }.joined(separator: ",")
            let me = reply(#"{"id":"u-1043","name":"Edith"}"#)
            let hours = reply(#"{"branch":"Harbour","today":"09:00 to 20:00"}"#)
            let list = reply("[\(loans)]")
            let before = Plan.serial(
                [.call(make.call("/me", me)), .call(make.call("/loans", list))]
                    + ids.map { .call(make.call("/books/\($0)", reply(book($0)))) }
                    + [.call(make.call("/hours", hours)), .call(make.call("/me", me))])
            let all = reply("[\(ids.map(book).joined(separator: ","))]")
            let after = Plan.parallel([
                .call(make.call("/me", me)), .call(make.call("/hours", hours)),
                .serial([
                    .call(make.call("/loans", list)),
                    .call(make.call("/books?ids=\(ids.joined(separator: ","))", all)),
                ]),
            ])
            return (before, after)
        }
        let plain = screen(false)
        let compressed = screen(true)
        var make = PlanBuilder(seed: 2)
        let covers = Plan.parallel(
            (0..<40).map {
                .call(make.call("/thumbnails/\($0)", Reply(60, bytes: make.noise(1_024), type: "image/webp")))
            })
        return [
            PredictionScreen(name: "demo: naive, all fixes", before: plain.before, after: plain.after, fix: .all),
            PredictionScreen(
                name: "demo: naive, compressed, all fixes", before: compressed.before, after: compressed.after,
                fix: .all),
            PredictionScreen(name: "demo: 6 to 20 connections", before: covers, after: covers, fix: .limit(20)),
        ]
    }

    /// Requests in a row that do not need each other, then at once.
    package static var serial: [PredictionScreen] {
        let names = ["profile", "feed", "news", "offers", "weather", "badges", "friends", "events", "notes"]
        var screens = [3, 5, 8, 9].enumerated().map { position, count -> PredictionScreen in
            var make = PlanBuilder(seed: 100 + UInt64(position))
            let calls = (0..<count).map { make.get("/v1/\(names[$0])", make.ms(40...120)) }
            // More than six at once would wait for a connection: that is simulated too.
            return PredictionScreen(
                name: "\(count) in a row, at once", before: .serial(calls), after: .parallel(calls),
                fix: .findings([.waterfall]))
        }
        for position in 0..<3 {
            var make = PlanBuilder(seed: 110 + UInt64(position))
            let key = make.identifier()
            let first = make.get("/session", make.ms(50...100), gives: #"{"accountKey":"\#(key)"}"#)
            let rest =
                [make.get("/accounts/\(key)", make.ms(50...100))]
                + (0...position + 1).map { make.get("/v2/\(names[$0])", make.ms(50...150)) }
            screens.append(
                PredictionScreen(
                    name: "\(rest.count) in a row after what one needs", before: .serial([first] + rest),
                    after: .parallel([.serial([first, rest[0]])] + rest.dropFirst()), fix: .findings([.waterfall])))
        }
        for position in 0..<2 {
            // One lane is fixed; the other bounds what that saves.
            var make = PlanBuilder(seed: 120 + UInt64(position))
            let key = make.identifier()
            let lane = Plan.serial([
                make.get("/lists", 90, gives: #"{"listKey":"\#(key)"}"#),
                make.get("/lists/\(key)/entries", make.ms(60...160)),
            ])
            let row = (0..<4).map { make.get("/side/\(names[$0])", make.ms(60...100)) }
            screens.append(
                PredictionScreen(
                    name: "two lanes, one of them in a row", before: .parallel([lane, .serial(row)]),
                    after: .parallel([lane, .parallel(row)]), fix: .findings([.waterfall])))
        }
        return screens
    }

    /// One request for each element of a list, then one for all.
    package static var lists: [PredictionScreen] {
        var screens: [PredictionScreen] = []
        for (position, shape) in [(5, false), (10, false), (20, false), (8, true), (24, true), (40, true)].enumerated()
        {
            let (count, isParallel) = shape
            var make = PlanBuilder(seed: 200 + UInt64(position))
            let ids = (0..<count).map { _ in make.identifier() }
            let delay = make.ms(40...80)
            let list = make.get(
                "/orders", make.ms(60...90),
                gives: "[" + ids.map { #"{"orderKey":"\#($0)"}"# }.joined(separator: ",") + "]")
            let each = ids.map { make.get("/orders/\($0)", delay, gives: make.json(400)) }
            let all = make.get("/orders?keys=\(ids.joined(separator: ","))", delay, gives: make.json(400 * count))
            screens.append(
                PredictionScreen(
                    name: "list and \(count) elements, \(isParallel ? "at once" : "in a row")",
                    before: .serial([list, isParallel ? .parallel(each) : .serial(each)]), after: .serial([list, all]),
                    fix: .findings([.nPlusOne])))
        }
        return screens
    }

    /// Many at once over six connections, then over more.
    package static var grids: [PredictionScreen] {
        [(20, 10, false), (30, 12, true), (48, 20, true), (18, 18, false)].enumerated().map { position, shape in
            let (count, limit, isUneven) = shape
            var make = PlanBuilder(seed: 300 + UInt64(position))
            let delay = make.ms(50...80)
            let grid = Plan.parallel(
                (0..<count).map { index in
                    let data = make.noise(2_000)
                    return .call(
                        make.call(
                            "/tiles/\(index).png",
                            Reply(isUneven ? make.ms(30...110) : delay, bytes: data, type: "image/png")))
                })
            return PredictionScreen(
                name: "\(count) at once over 6, over \(limit)", before: grid, after: grid, fix: .limit(limit))
        }
    }

    /// The same more than once.
    package static var repeats: [PredictionScreen] {
        var screens: [PredictionScreen] = []
        for times in [2, 3] {
            var make = PlanBuilder(seed: 400 + UInt64(times))
            let key = make.identifier()
            let first = make.get("/me", 80, gives: #"{"userKey":"\#(key)"}"#)
            let second = make.get("/users/\(key)/loans", 90, gives: #"{"loanKey":"\#(make.identifier())"}"#)
            let again = (1..<times).map { _ in make.get("/me", 80, gives: #"{"userKey":"\#(key)"}"#) }
            screens.append(
                PredictionScreen(
                    name: "the same \(times) times", before: .serial([first, second] + again),
                    after: .serial([first, second]), fix: .findings([.duplicate])))
        }
        var make = PlanBuilder(seed: 410)
        let many = (0..<4).map { make.get("/config/\(["a", "b", "c", "d"][$0])x", 70 + Double($0) * 20) }
        let again = (0..<14).map { _ in make.get("/config/ax", 70) }
        screens.append(
            PredictionScreen(
                name: "the same 15 times at once", before: .parallel(many + again), after: .parallel(many),
                fix: .findings([.duplicate])))
        make = PlanBuilder(seed: 411)
        var failed = Reply(60)
        failed.status = 503
        let attempts = (0..<3).map { _ in Plan.call(make.call("/search", failed)) }
        let success = make.get("/search", 60)
        screens.append(
            PredictionScreen(
                name: "four attempts without a pause", before: .serial(attempts + [success]), after: success,
                fix: .findings([.retryStorm])))
        return screens
    }

    /// Bodies that take time.
    package static var sizes: [PredictionScreen] {
        (0..<4).map { position in
            var make = PlanBuilder(seed: 500 + UInt64(position))
            let key = make.identifier()
            let first = make.get("/start", 60, gives: #"{"feedKey":"\#(key)"}"#)
            func feed(_ isCompressed: Bool, _ body: String) -> Call {
                var reply = Reply(50, body: body)
                reply.pace = 120 + Double(position) * 40
                reply.isCompressed = isCompressed
                return make.call("/feeds/\(key)", reply)
            }
            let body = make.json(40_000 + position * 15_000)
            let other = make.get("/side", 40)
            let plain = feed(false, body)
            let compressed = feed(true, body)
            return PredictionScreen(
                name: "\(body.utf8.count / 1000) kB of text, compressed",
                before: .parallel([other, .serial([first, .call(plain)])]),
                after: .parallel([other, .serial([first, .call(compressed)])]), fix: .findings([.uncompressed]))
        }
    }

    /// Servers that take long, redirects, connections, failures.
    package static var servers: [PredictionScreen] {
        var screens: [PredictionScreen] = []
        for position in 0..<3 {
            var make = PlanBuilder(seed: 600 + UInt64(position))
            let key = make.identifier()
            let first = make.get("/start", 70, gives: #"{"reportKey":"\#(key)"}"#)
            let others = Plan.parallel(
                (0..<position * 2).map { make.get("/part/\(["a", "b", "c", "d"][$0])", 90 + Double($0) * 90) })
            func plan(_ delay: Double) -> Plan {
                let slow = make.get("/reports/\(key)", delay)
                return .serial([first, .parallel([others, slow])])
            }
            screens.append(
                PredictionScreen(
                    name: "a slow server beside \(position * 2)", before: plan(680 + Double(position) * 60),
                    after: plan(100),
                    fix: .findings([.serverBound])))
        }
        for hops in [1, 3] {
            var make = PlanBuilder(seed: 610 + UInt64(hops))
            let second = make.get("/next", 120)
            var redirected = make.call("/old", Reply(60, body: "{}"))
            redirected.hops = (1...hops).map { "/old/\(["", "x", "y", "z"][$0])" }
            let direct = make.get(redirected.hops.last ?? "", 60, gives: "{}")
            screens.append(
                PredictionScreen(
                    name: "\(hops) redirects", before: .serial([.call(redirected), second]),
                    after: .serial([direct, second]), fix: .findings([.redirects])))
        }
        var make = PlanBuilder(seed: 620)
        func closing(_ closes: Bool) -> Plan {
            .serial(
                (0..<6).map { index in
                    var reply = Reply(50, body: #"{"stepKey":"step-\#(index + 1)-8812734"}"#)
                    reply.closes = closes
                    return .call(make.call(index == 0 ? "/steps" : "/steps/step-\(index)-8812734", reply))
                })
        }
        screens.append(
            PredictionScreen(
                name: "connections closed", before: closing(true), after: closing(false),
                fix: .findings([.coldConnections])))
        make = PlanBuilder(seed: 630)
        var missing = Reply(80)
        missing.status = 404
        let failing = Plan.call(make.call("/flags", missing))
        let rest = [make.get("/home", 90), make.get("/menu", 110)]
        screens.append(
            PredictionScreen(
                name: "a failure that others wait for", before: .serial([failing, .parallel(rest)]),
                after: .parallel(rest), fix: .findings([.failure])))
        return screens
    }

    /// Several faults in one screen, all fixed.
    package static var mixed: [PredictionScreen] {
        (0..<5).map { position in
            var make = PlanBuilder(seed: 700 + UInt64(position))
            let ids = (0..<6 + position).map { _ in make.identifier() }
            let me = { (make: inout PlanBuilder) in make.get("/me", 70, gives: #"{"name":"Edith"}"#) }
            let first = me(&make)
            let list = make.get(
                "/cards", make.ms(60...90),
                gives: "[" + ids.map { #"{"cardKey":"\#($0)"}"# }.joined(separator: ",") + "]")
            let delay = make.ms(50...80)
            let each = ids.map { make.get("/cards/\($0)", delay) }
            let all = make.get("/cards?keys=\(ids.joined(separator: ","))", delay)
            let others = (0..<position).map {
                make.get("/more/\(["tips", "ads", "help", "legal"][$0])", make.ms(60...110))
            }
            let before = Plan.serial(
                [first, list, position % 2 == 0 ? .serial(each) : .parallel(each)] + others + [me(&make)])
            let after = Plan.parallel([first, .serial([list, all])] + others)
            return PredictionScreen(name: "mixed \(position + 1), all fixes", before: before, after: after, fix: .all)
        }
    }
}
