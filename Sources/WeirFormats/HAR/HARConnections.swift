import Foundation
import WeirModel

/// Tells which transactions used a connection that had carried another before.
enum HARConnections {
    /// Sets `isReusedConnection` where it can be known, and leaves it nil elsewhere.
    ///
    /// - An exporter's own word counts most.
    /// - A transaction that connected did not reuse.
    /// - One that did not connect reused, when its connection (where those are told apart) is used before it or was
    ///   opened by another of the page, or else when an earlier transaction of the page opened one to the same server.
    ///
    /// - Parameter exchanges: The exchanges of one page.
    static func setReuse(in exchanges: [HARExchange], traits: HARTraits) {
        var firstUse: [String: (date: Date, index: Int)] = [:]
        var opened: Set<String> = []
        var firstOpening: [UInt64: Date] = [:]
        let servers = exchanges.map { $0.entry.request.url.serverHash }
        for index in exchanges.indices where usesNetwork(exchanges[index]) {
            let date = useDate(exchanges[index])
            let didConnect = exchanges[index].transaction.connectStartDate != nil
            if let id = exchanges[index].transaction.connectionID {
                if didConnect { opened.insert(id) }
                if firstUse[id].map({ (date, index) < $0 }) ?? true { firstUse[id] = (date, index) }
            }
            if didConnect {
                let opening = exchanges[index].transaction.connectEndDate ?? date
                firstOpening[servers[index]] = min(firstOpening[servers[index]] ?? opening, opening)
            }
        }
        for index in exchanges.indices where usesNetwork(exchanges[index]) {
            let isReused: Bool?
            if let told = exchanges[index].entry.isReusedConnection {
                isReused = told
            } else if exchanges[index].transaction.connectStartDate != nil {
                isReused = false
            } else if exchanges[index].entry.timings.connect == nil {
                // Without timings it is not known that it did not connect.
                isReused = nil
            } else if let id = exchanges[index].transaction.connectionID {
                isReused = opened.contains(id) || firstUse[id].map { $0.index != index } == true ? true : nil
            } else if let opening = firstOpening[servers[index]] {
                isReused = useDate(exchanges[index]) + traits.clockResolution >= opening ? true : nil
            } else {
                isReused = nil
            }
            exchanges[index].transaction.isReusedConnection = isReused
        }
    }

    private static func usesNetwork(_ exchange: HARExchange) -> Bool {
        exchange.entry.fetchType != .localCache && exchange.transaction.response != nil
    }

    private static func useDate(_ exchange: HARExchange) -> Date {
        exchange.transaction.requestStartDate ?? exchange.start
    }
}
