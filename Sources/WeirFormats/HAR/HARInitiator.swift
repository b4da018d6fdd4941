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
    init?(_ value: HARMembers, _ texts: TextCache) {
        guard let initiator = value[.initiator], !initiator.isNull else { return nil }
        let type = (initiator["type"] ?? value[.initiatorType])?.string?.lowercased() ?? "parser"
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
        // The chain that has a URL; -1 where several have.
        var chainOfURL = [String: Int](minimumCapacity: exchanges.count)
        for (index, chain) in chains.enumerated() {
            // A redirect's initiator is named by any of its URLs, and what it delivers is the last one's.
            for place in chain {
                let url = key(exchanges[place].entry.request.url.absoluteString)
                let known = chainOfURL.updateValue(index, forKey: url) ?? index
                if known != index { chainOfURL[url] = -1 }
            }
        }
        return chains.enumerated().map { index, chain in
            guard let first = chain.first, let initiator = exchanges[first].entry.initiator,
                let named = chainOfURL[key(initiator.url)], named >= 0, named != index, let last = chains[named].last,
                exchanges[last].headArrival - resolution <= exchanges[first].start,
                let source = chains[named].first
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
        // Few have one: of those that have not nothing is copied.
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "#")) else { return url }
        return String(decoding: url.utf8[..<mark], as: UTF8.self)
    }
}
