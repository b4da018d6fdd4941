/// The `timings` of an entry, in milliseconds, as written: -1 and missing mean unknown or not happened.
struct HARTimings: Sendable {
    var blocked: Double?
    /// `_blocked_queueing`: the part of `blocked` before the browser handed the request to its network stack.
    var queueing: Double?
    /// `_blocked_proxy`: the part of `blocked` in which a proxy was chosen.
    var proxy: Double?
    var dns: Double?
    var connect: Double?
    var ssl: Double?
    var send: Double?
    var wait: Double?
    var receive: Double?

    init() {}

    init(_ value: HARMembers?, _ fields: inout HARFields) {
        guard let value else { return }
        blocked = fields.milliseconds(value[.blocked], "timings.blocked")
        queueing = fields.milliseconds(value[.blockedQueueing], "timings._blocked_queueing")
        proxy = fields.milliseconds(value[.blockedProxy], "timings._blocked_proxy")
        dns = fields.milliseconds(value[.dns], "timings.dns")
        connect = fields.milliseconds(value[.connect], "timings.connect")
        ssl = fields.milliseconds(value[.ssl], "timings.ssl")
        send = fields.milliseconds(value[.send], "timings.send")
        wait = fields.milliseconds(value[.wait], "timings.wait")
        receive = fields.milliseconds(value[.receive], "timings.receive")
    }

    /// The sum of the phases, without `ssl`, which the format puts inside `connect`.
    var sum: Double {
        var sum = max(0, blocked ?? 0)
        sum += max(0, dns ?? 0)
        sum += max(0, connect ?? 0)
        sum += max(0, send ?? 0)
        sum += max(0, wait ?? 0)
        return sum + max(0, receive ?? 0)
    }

    /// The TLS time, 0 if none.
    var tls: Double { max(0, ssl ?? 0) }

    /// Whether nothing took any time, or nothing is known.
    var isEmpty: Bool { sum == 0 && tls == 0 }

    /// Whether any part of an exchange took time.
    var tookTime: Bool { send ?? 0 > 0 || wait ?? 0 > 0 || receive ?? 0 > 0 }

    /// Whether sending, waiting or receiving was measured: not when all is 0 in an entry that took time.
    func tellsExchange(elapsed: Double?) -> Bool {
        guard Self.known(send) != nil || Self.known(wait) != nil || Self.known(receive) != nil else { return false }
        return !isEmpty || (elapsed ?? 0) <= 3
    }

    /// A phase that was measured: -1 is HAR's "does not apply".
    static func known(_ phase: Double?) -> Double? { phase == -1 ? nil : phase }
}
