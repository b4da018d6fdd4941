import Foundation
import WeirModel

extension HARExchange {
    /// Lays the timings out from `startedDateTime`: blocked, dns, connect (with TLS), send, wait, receive.
    ///
    /// A phase of negative length stays as it is, so that it reads as impossible and is counted.
    func setDates(_ traits: HARTraits) {
        var start = entry.start
        if traits.isStartOfSending, let marks = entry.testMarks { start -= (marks.load - marks.all) / 1000 }
        transaction.fetchStartDate = start
        end = start
        // Pulse mixes seconds and milliseconds, and counts one interval several times.
        let timings = traits.exporter == .pulse ? HARTimings() : entry.timings
        let elapsed = entry.elapsed.map { start + $0 / 1000 }
        guard entry.fetchType != .localCache else {
            end = max(elapsed ?? start, start + timings.sum / 1000)
            transaction.responseEndDate = end
            return
        }
        // Nothing but `blocked` in an entry without a response: the request was never sent.
        let wasSent = entry.response != nil || timings.tookTime
        var cursor = start
        if timings.sum > 0 || timings.tls > 0 || entry.response != nil {
            cursor += (blocked(timings, traits) ?? 0) / 1000
            setHandshakeDates(timings, traits, &cursor)
        }
        if traits.isStartOfSending, let marks = entry.testMarks {
            cursor = max(cursor, start + (marks.load - marks.all) / 1000)
        }
        if wasSent, timings.tellsExchange(elapsed: entry.elapsed) {
            setExchangeDates(timings, elapsed: elapsed, &cursor)
        }
        setEnd(timings, elapsed: elapsed, traits)
        if !transaction.impossiblePhases.isEmpty { doubts.append(.impossiblePhase) }
    }

    /// The queueing, with Chrome's slip of 1 ms undone.
    ///
    /// Chrome starts from the queueing time, -1 where there is none, and adds the time in the network stack to that
    /// (front_end/models/har/Log.ts).
    private func blocked(_ timings: HARTimings, _ traits: HARTraits) -> Double? {
        guard let blocked = timings.blocked else { return nil }
        let wasAdded = timings.queueing == -1 && blocked > -1 && blocked != timings.proxy && entry.response != nil
        if traits.exporter == .webInspector, wasAdded { return blocked + 1 }
        return HARTimings.known(blocked)
    }

    private func setHandshakeDates(_ timings: HARTimings, _ traits: HARTraits, _ cursor: inout Date) {
        func happened(_ phase: Double?) -> Double? {
            guard let phase = HARTimings.known(phase), phase != 0 || !traits.isZeroAbsent else { return nil }
            return phase / 1000
        }
        if let dns = happened(timings.dns) {
            transaction.domainLookupStartDate = cursor
            cursor += dns
            transaction.domainLookupEndDate = cursor
        }
        let isSecure = entry.request.url.isSecure
        let tls = timings.tls / 1000
        guard let connect = happened(timings.connect) ?? (isSecure && tls > 0 ? 0 : nil) else { return }
        // A handshake that is longer than the connection cannot be inside it. (Playwright's can: it measures from an
        // unset mark.)
        let isAfter = traits.isTLSAfterConnect || (tls > connect + 0.0005 && traits.exporter != .playwright)
        transaction.connectStartDate = cursor
        cursor += connect + (isAfter && isSecure ? tls : 0)
        transaction.connectEndDate = cursor
        if isSecure, tls > 0 {
            if isAfter { doubts.append(.tlsAfterConnect) }
            guard isAfter || tls <= connect + 0.0005 else { return }
            transaction.secureConnectionStartDate = cursor - tls
            transaction.secureConnectionEndDate = cursor
        }
    }

    private func setExchangeDates(_ timings: HARTimings, elapsed: Date?, _ cursor: inout Date) {
        transaction.requestStartDate = cursor
        // Without `send`, the wait is known to start here; how long sending took is not told apart from it.
        cursor += (HARTimings.known(timings.send) ?? 0) / 1000
        transaction.requestEndDate = cursor
        guard entry.response != nil else { return }
        guard let wait = HARTimings.known(timings.wait) else {
            if let elapsed, elapsed > cursor {
                transaction.responseEndDate = elapsed
                transaction.responseStartDate = HARTimings.known(timings.receive).map { elapsed - $0 / 1000 }
            }
            return
        }
        cursor += wait / 1000
        transaction.responseStartDate = cursor
        if let receive = HARTimings.known(timings.receive) {
            cursor += receive / 1000
            transaction.responseEndDate = cursor
        } else if let elapsed, !isSumOfPhases(timings), elapsed > cursor {
            transaction.responseEndDate = elapsed
        }
    }

    private func setEnd(_ timings: HARTimings, elapsed: Date?, _ traits: HARTraits) {
        if let date = transaction.domainLookupEndDate { end = max(end, date) }
        if let date = transaction.connectEndDate { end = max(end, date) }
        if let date = transaction.requestEndDate { end = max(end, date) }
        if let date = transaction.responseStartDate { end = max(end, date) }
        if let date = transaction.responseEndDate { end = max(end, date) }
        if entry.response == nil { end = max(end, elapsed ?? start + timings.sum / 1000) }
        guard let elapsed else { return }
        if timings.isEmpty {
            end = max(end, elapsed)
            if entry.response != nil, elapsed > start { transaction.responseEndDate = elapsed }
        } else if !isSumOfPhases(timings) {
            // More time passed than the phases tell of, or `time` leaves some out.
            doubts.append(.elapsedMismatch)
            end = max(end, elapsed)
        }
    }

    /// Whether `time` says no more than the phases: it is their sum, with TLS counted inside connect or beside it.
    private func isSumOfPhases(_ timings: HARTimings) -> Bool {
        guard let elapsed = entry.elapsed else { return true }
        let tolerance = max(3, elapsed / 100)
        return abs(elapsed - timings.sum) <= tolerance || abs(elapsed - timings.sum - timings.tls) <= tolerance
    }
}

extension RequestURL {
    /// Whether it is asked for over TLS.
    fileprivate var isSecure: Bool {
        guard let scheme else { return false }
        if scheme == "https" { return true }
        let lowercased = scheme.lowercased()
        return lowercased == "https" || lowercased == "wss"
    }
}
