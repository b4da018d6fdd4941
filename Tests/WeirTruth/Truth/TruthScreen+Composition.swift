import WeirAudit

extension TruthScreen {
    /// The screen of a seed: parts one after another, in one lane or two, with noise beside them.
    package init(seed: UInt64) {
        var parts = TruthParts(seed: seed &* 7919 &+ 11)
        let hasTwoLanes = parts.number(0...9) < 3
        let length = hasTwoLanes ? parts.number(1...2) : parts.number(2...4)
        var lanes: [Plan] = []
        var labels: [Label] = []
        var names: [String] = []
        for host in 0..<(hasTwoLanes ? 2 : 1) {
            parts.host = host
            parts.needs = []
            var steps: [Plan] = []
            // A small start, which everything needs.
            let start = parts.single("/\(parts.area())/start", 30)
            steps.append(.call(start.call))
            parts.needs = [start.gives]
            for _ in 0..<length {
                let part = parts.random(inLanes: hasTwoLanes)
                steps.append(part.plan)
                // What holds up one lane need not hold up the screen.
                labels += part.labels.map { label in
                    var label = label
                    if hasTwoLanes, part.isAboutTime { label.isOptional = true }
                    return label
                }
                names.append(part.name)
                let own = (labels.count - part.labels.count)..<labels.count
                // A person pauses when nothing goes on.
                if part.gives.isEmpty || parts.number(0...3) == 0, !hasTwoLanes {
                    steps.append(.pause(Double(parts.number(620...700))))
                    // What a person looks at for a while kept nobody waiting, unless it was tried again.
                    if part.name == "failure" { for place in own { labels[place].isOptional = true } }
                    parts.needs = []
                } else {
                    parts.needs = part.gives
                }
            }
            // The last one keeps nobody waiting.
            let end = parts.single("/\(parts.area())/end", 30)
            steps.append(.call(end.call))
            lanes.append(.serial(steps))
        }
        parts.host = 2
        parts.needs = []
        if parts.number(0...4) == 0 {
            let poll = parts.poll()
            lanes.append(poll.plan)
            labels.append(poll.label)
            names.append("poll")
        }
        if parts.number(0...3) == 0 {
            lanes.append(parts.beacons())
            names.append("beacons")
        }
        self.init(
            seed: seed, plan: lanes.count == 1 ? lanes[0] : .parallel(lanes), labels: labels, parts: names)
    }
}

extension TruthParts {
    /// What many apps send meanwhile: nothing waits for it.
    fileprivate mutating func beacons() -> Plan {
        let area = area()
        var steps: [Plan] = []
        for index in 0..<number(3...5) {
            let call = call(
                "/\(area)/collect", Reply(5, body: ""), method: "POST", body: #"{"event":"view","sequence":\#(index)}"#)
            steps += [.pause(make.ms(40...160)), .call(call)]
        }
        return .serial(steps)
    }

    /// A part of any kind.
    fileprivate mutating func random(inLanes: Bool) -> TruthPart {
        switch number(0...43) {
        case 0, 1: return inLanes ? chain() : waterfall()
        case 2: return inLanes ? chain() : numberedPages()
        case 3: return chain()
        case 4: return cursorPages()
        case 5: return shortRow()
        case 6: return inLanes ? cursorPages() : pausedRow()
        case 7...11: return list(ListShape.allCases[number(0...(inLanes ? 4 : 5))])
        case 12: return likeness()
        case 13: return operations()
        case 14: return siblings(images: coin())
        case 15: return coin() ? twoElements() : shards()
        case 16, 17: return duplicate()
        case 18: return harmless(Harmless.allCases[number(0...3)])
        case 19, 20: return nearDuplicate()
        case 21: return differentQueries()
        case 22, 23: return retryStorm()
        case 24: return retry()
        case 25: return inLanes ? duplicate() : refetch(Refetch.allCases[number(0...1)])
        case 26: return inLanes ? duplicate() : refetch(Refetch.allCases[number(0...3)])
        case 27, 28: return failure()
        case 29: return harmlessFailure()
        case 30: return inLanes ? neededConnections() : queueing()
        case 31: return inLanes ? neededConnections() : http1()
        case 32: return inLanes ? neededConnections() : coldConnections()
        case 33: return neededConnections()
        case 34: return uncompressed()
        case 35: return rightlyUncoded(Uncoded.allCases[number(0...7)])
        case 36: return redirects()
        case 37: return created()
        case 38: return serverBound()
        case 39: return slowButNotServer()
        case 40: return number(0...3) > 0 ? largePayload() : payloadThatIsNotLarge()
        case 41: return headers(areLarge: true)
        case 42: return coin() || inLanes ? headers(areLarge: false) : stream(isSniffed: false)
        default: return inLanes ? headers(areLarge: true) : stream(isSniffed: true)
        }
    }
}
