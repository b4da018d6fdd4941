import Foundation
import WeirModel

/// What made a browser ask, as far as it is evidence of a dependency: a document or script that names the resource.
struct HARInitiator: Sendable, Hashable {
    /// How the browser came to ask.
    enum Kind: UInt64, Sendable {
        /// Its parser found the URL in a document or a style sheet.
        case parser = 1
        /// A script asked.
        case script = 2
    }

    var kind: Kind
    /// What was parsed or run.
    var url: String

    /// Reads Chrome's `_initiator`, an object, or that of chrome-har and WebPageTest, a URL with `_initiator_type` beside it.
    ///
    /// Preloads, prefetches and what a person did are no dependency.
    init?(_ value: JSONView, _ texts: TextCache) {
        guard let initiator = value["_initiator"], !initiator.isNull else { return nil }
        let type = (initiator["type"] ?? value["_initiator_type"])?.string?.lowercased() ?? "parser"
        switch type {
        case "parser": kind = .parser
        case "script": kind = .script
        default: return nil
        }
        var found = texts.text(of: initiator) ?? initiator["url"].flatMap { texts.text(of: $0) }
        if found?.isEmpty ?? true, kind == .script {
            // The innermost frame with a URL is the code that asked.
            let frames = initiator["stack"]?["callFrames"]?.elements.lazy
            found = frames?.compactMap { $0["url"].flatMap { texts.text(of: $0) } }.first { !$0.isEmpty }
        }
        guard let found, !found.isEmpty else { return nil }
        url = found
    }

    init?(kind: UInt64, url: String?) {
        guard let kind = Kind(rawValue: kind), let url else { return nil }
        self.kind = kind
        self.url = url
    }
}

extension HARInitiator {
    /// The edges that initiators show, for each chain of exchanges.
    ///
    /// Only where exactly one request has the initiator's URL, and its response had begun before: of several nobody knows
    /// which one it was.
    static func edges(
        _ chains: [[Int]], in exchanges: [HARExchange], resolution: TimeInterval
    ) -> [[TaskRecord.Edge]] {
        guard exchanges.contains(where: { $0.entry.initiator != nil }) else {
            return Array(repeating: [], count: chains.count)
        }
        var chainsOfURL: [String: [Int]] = [:]
        for (index, chain) in chains.enumerated() {
            // A redirect's initiator is named by any of its URLs, and what it delivers is the last one's.
            for url in Set(chain.map { key(exchanges[$0].entry.request.url.absoluteString) }) {
                chainsOfURL[url, default: []].append(index)
            }
        }
        return chains.enumerated().map { index, chain in
            guard let first = chain.first, let initiator = exchanges[first].entry.initiator,
                let sources = chainsOfURL[key(initiator.url)], sources.count == 1, sources[0] != index,
                let last = chains[sources[0]].last,
                exchanges[last].headArrival - resolution <= exchanges[first].start,
                let source = chains[sources[0]].first
            else { return [] }
            let place = initiator.kind == .parser ? "the document" : "the script"
            return [
                TaskRecord.Edge(
                    source: UInt64(exchanges[source].entry.index), kind: .initiator, grade: .likely, sourcePlace: place)
            ]
        }
    }

    /// A URL without its fragment, which is not sent.
    private static func key(_ url: String) -> String {
        String(decoding: url.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }
}
