import Foundation
import WeirModel

/// Joins redirects with what followed them: a HAR file has an entry for each hop.
enum HARRedirects {
    /// The exchanges of one page as chains: each a request, the redirects it went through, and its answer.
    struct Chains {
        /// Places in the array of exchanges, each in exactly one chain, in the order of the first of each.
        var chains: [[Int]] = []
        /// The redirects that several entries may have followed, as places.
        var ambiguous: [Int] = []
    }

    /// The longest that a client may take to follow a redirect, in seconds.
    static let patience: TimeInterval = 5

    /// Finds the chains.
    ///
    /// A redirect is followed by the earliest entry that asks for its target, with a method that fits (RFC 9110,
    /// 15.4), from the arrival of the redirect's head on, and that no other redirect has claimed. Where two such
    /// entries start at the same time, neither is taken.
    ///
    /// - Parameter exchanges: The exchanges of one page, by start.
    static func chains(in exchanges: ArraySlice<HARExchange>) -> Chains {
        var result = Chains()
        let hops = exchanges.indices.filter { exchanges[$0].entry.redirectTarget != nil }
            .sorted { (exchanges[$0].headArrival, $0) < (exchanges[$1].headArrival, $1) }
        var next: [Int: Int] = [:]
        var claimed = Set<Int>()
        if !hops.isEmpty {
            let targets = hops.map { hop in
                URLReference.key(
                    of: exchanges[hop].entry.redirectTarget ?? "", base: exchanges[hop].entry.request.url)
            }
            var places = Dictionary(targets.map { ($0, [Int]()) }, uniquingKeysWith: { first, _ in first })
            for place in exchanges.indices {
                places[URLReference.key(of: exchanges[place].entry.request.url)]?.append(place)
            }
            for (hop, key) in zip(hops, targets) {
                let earliest = exchanges[hop].headArrival - HARTraits.resolution * 1.001
                let latest = exchanges[hop].end + patience
                let candidates = places[key] ?? []
                let first = candidates.partitioningIndex { exchanges[$0].start >= earliest }
                var followers: [Int] = []
                for place in candidates[first...] {
                    guard exchanges[place].start <= latest, followers.count < 2 else { break }
                    // Only later places, so that no chain can come back to itself.
                    guard place > hop, !claimed.contains(place) else { continue }
                    if fits(exchanges[place].entry.request.method, after: exchanges[hop].entry) {
                        followers.append(place)
                    }
                }
                guard let follower = followers.first else { continue }
                if followers.count > 1, exchanges[followers[1]].start == exchanges[follower].start {
                    result.ambiguous.append(hop)
                    continue
                }
                next[hop] = follower
                claimed.insert(follower)
            }
        }
        for place in exchanges.indices where !claimed.contains(place) {
            var chain = [place]
            while let follower = next[chain[chain.count - 1]] { chain.append(follower) }
            result.chains.append(chain)
        }
        return result
    }

    private static func fits(_ method: String, after hop: HAREntry) -> Bool {
        if method == hop.request.method { return true }
        switch hop.response?.statusCode {
        case 301, 302, 303: return method == "GET" || method == "HEAD"
        default: return false
        }
    }
}

extension [Int] {
    /// The first index whose element fits, in an array in which all that fit come last.
    fileprivate func partitioningIndex(where fits: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
