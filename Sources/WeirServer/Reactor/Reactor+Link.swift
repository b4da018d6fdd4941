import WeirModel

extension Reactor {
    /// Lets everything go over another link, or none; what is on its way arrives when it would have.
    func change(to profile: LinkProfile?) {
        let now = Moment.now
        if let link {
            link.pacer.change(to: profile ?? .unlimited, now: now)
        } else if let profile {
            let link = LinkShell(profile, seed: shared.options.linkSeed, now: now)
            self.link = link
            for connection in connections.values {
                connection.wire.join(link, isNew: false, now: now)
                ready.append(connection.id)
            }
        }
    }

    /// Lets those go on to whom the link has brought something.
    func runLink(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let link else { return }
        link.look(now: .now, news: &linkNews)
        guard !linkNews.isEmpty else { return }
        swap(&linkNews, &spareNews)
        for id in spareNews {
            if let connection = connections[id] {
                run(connection, buffer)
            } else {
                runDeparting(id, buffer)
            }
        }
        spareNews.removeAll(keepingCapacity: true)
    }

    /// Brings to a client what is left of a connection that is done with, and then lets it go.
    func runDeparting(_ id: UInt64, _ buffer: UnsafeMutableRawBufferPointer) {
        guard let wire = departing[id] else { return }
        let now = Moment.now
        wire.drain(buffer, now: now)
        let end = shared.options.timeouts.write.map { wire.lastMove + $0.wholeNanoseconds }
        if wire.isDeparting, end.map({ now < $0 }) ?? true {
            if let end { deadlines.schedule(id, at: end) }
            return
        }
        // A link that brings nothing any more must not keep descriptors for ever.
        if wire.isDeparting { wire.resetAtOnce() }
        deadlines.remove(id)
        departing[id] = nil
    }
}

extension LinkProfile {
    /// No link at all.
    static let unlimited: LinkProfile = {
        var profile = LinkProfile(name: "No link")
        profile.initialWindow = nil
        profile.connectRoundTrips = 0
        return profile
    }()
}
