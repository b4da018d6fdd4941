import Foundation
import Synchronization

/// Numbers the distinct bodies of one file, so that equal bodies can be told in it and nothing else.
///
/// The numbers start at a random place, so that two processes that append to one file do not seem to agree.
package final class BodyOrdinals: Sendable {
    /// Where an encoder finds the ordinals.
    package static let key = CodingUserInfoKey(rawValue: "weir.bodyOrdinals")

    private struct State {
        var ordinals: [BodyDigest: UInt64] = [:]
        var next = UInt64.random(in: 1...UInt64(1) << 40) << 12
    }

    /// Beyond this many distinct bodies each gets a number of its own, so that memory stays bounded.
    private static let remembered = 100_000
    private let state = Lock(State())

    package init() {}

    package func ordinal(_ digest: BodyDigest) -> UInt64 {
        state.withLock { state in
            if let known = state.ordinals[digest] { return known }
            state.next += 1
            if state.ordinals.count < Self.remembered { state.ordinals[digest] = state.next }
            return state.next
        }
    }
}
