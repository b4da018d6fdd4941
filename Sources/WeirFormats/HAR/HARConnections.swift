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
    static func setReuse(in exchanges: inout [HARExchange], traits: HARTraits) {
        var firstUse: [Key: (date: Date, index: Int)] = [:]
        var opened: Set<Key> = []
        var firstOpening: [Key: Date] = [:]
        for index in exchanges.indices where usesNetwork(exchanges[index]) {
            let exchange = exchanges[index]
            let date = useDate(exchange)
            let didConnect = exchange.transaction.connectStartDate != nil
            let page = exchange.entry.pageID
            if let id = exchange.transaction.connectionID {
                let key = Key(page: page, name: id)
                if didConnect { opened.insert(key) }
                if firstUse[key].map({ (date, index) < $0 }) ?? true { firstUse[key] = (date, index) }
            }
            if didConnect {
                let key = Key(page: page, name: origin(exchange))
                let opening = exchange.transaction.connectEndDate ?? date
                firstOpening[key] = min(firstOpening[key] ?? opening, opening)
            }
        }
        for index in exchanges.indices where usesNetwork(exchanges[index]) {
            let exchange = exchanges[index]
            exchanges[index].transaction.isReusedConnection = {
                if let told = exchange.entry.isReusedConnection { return told }
                if exchange.transaction.connectStartDate != nil { return false }
                // Without timings it is not known that it did not connect.
                guard exchange.entry.timings.connect != nil else { return nil }
                if let id = exchange.transaction.connectionID {
                    let key = Key(page: exchange.entry.pageID, name: id)
                    return opened.contains(key) || firstUse[key].map { $0.index != index } == true ? true : nil
                }
                let key = Key(page: exchange.entry.pageID, name: origin(exchange))
                guard let opening = firstOpening[key] else { return nil }
                return useDate(exchange) + traits.clockResolution >= opening ? true : nil
            }()
        }
    }

    private struct Key: Hashable {
        var page: String
        var name: String
    }

    private static func usesNetwork(_ exchange: HARExchange) -> Bool {
        exchange.entry.fetchType != .localCache && exchange.transaction.response != nil
    }

    private static func useDate(_ exchange: HARExchange) -> Date {
        exchange.transaction.requestStartDate ?? exchange.start
    }

    private static func origin(_ exchange: HARExchange) -> String {
        let url = exchange.entry.request.url
        return "\(url.scheme?.lowercased() ?? "")//\(url.host.lowercased()):\(url.port ?? 0)"
    }
}
