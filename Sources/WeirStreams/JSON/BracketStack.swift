/// The brackets that are open, one bit each, up to a limit; beyond it they are counted only.
struct BracketStack: Sendable {
    let limit: Int
    private(set) var depth = 0
    /// Bit by bit, whether the bracket at a depth is a brace: the first 64, and those above.
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Opens a bracket.
    ///
    /// - Returns: False when there were as many as the limit allows.
    @inline(__always)
    mutating func open(isBrace: Bool) -> Bool {
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: depth)
        let isAllowed = depth < limit
        if depth < 64 {
            low = isBrace ? low | bit : low & ~bit
        } else if isAllowed {
            openHigh(bit, isBrace)
        }
        depth &+= 1
        return isAllowed
    }

    /// Closes a bracket.
    ///
    /// - Returns: False when another kind is open, or none. What is beyond the limit is not compared.
    @inline(__always)
    mutating func close(isBrace: Bool) -> Bool {
        guard depth > 0 else { return false }
        depth &-= 1
        guard depth < limit else { return true }
        let word = depth < 64 ? low : high[(depth >> 6) - 1]
        return (word &>> UInt64(truncatingIfNeeded: depth)) & 1 == (isBrace ? 1 : 0)
    }

    mutating func removeAll() { depth = 0 }

    @inline(never)
    private mutating func openHigh(_ bit: UInt64, _ isBrace: Bool) {
        let word = (depth >> 6) - 1
        if word == high.count { high.append(0) }
        high[word] = isBrace ? high[word] | bit : high[word] & ~bit
    }
}
