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

    /// Takes brackets as long as nothing is remarkable about them: not the last one, not the wrong one, not too deep.
    ///
    /// - Parameters:
    ///   - index: Where the brackets are; on return, the first one is remarkable, if there is one.
    ///   - base: The input.
    ///   - offset: Where in the stream it begins.
    ///   - last: The last place that may be looked at.
    @inline(__always)
    mutating func takePlain(_ index: inout OffsetIndex, _ base: UnsafeRawPointer, at offset: Int, last: Int) {
        guard let places = index.places else { return }
        var position = index.position
        let count = index.count
        let start = index.windowStart
        var depth = UInt64(truncatingIfNeeded: self.depth)
        var low = self.low
        let most = UInt64(truncatingIfNeeded: min(limit, 64))
        while position < count, depth < most, depth > 0 {
            let place = start &+ Int(places[position])
            guard place >= offset, place <= last else { break }
            let byte = UInt64(base.load(fromByteOffset: place &- offset, as: UInt8.self))
            // Bits 1 and 2 tell an opening bracket (01), a closing one (10) and what is none; bit 5 a brace.
            let brace = (byte &>> 5) & 1
            if byte & 6 == 2 {
                low = (low & ~(1 &<< depth)) | (brace &<< depth)
                depth &+= 1
            } else if byte & 6 == 4 {
                guard depth > 1, (low &>> (depth &- 1)) & 1 == brace else { break }
                depth &-= 1
            }
            position &+= 1
        }
        index.advance(to: position)
        self.depth = Int(truncatingIfNeeded: depth)
        self.low = low
    }

    @inline(never)
    private mutating func openHigh(_ bit: UInt64, _ isBrace: Bool) {
        let word = (depth >> 6) - 1
        if word == high.count { high.append(0) }
        high[word] = isBrace ? high[word] | bit : high[word] & ~bit
    }
}
