/// The numbers that a link draws: the same for the same seed (SplitMix64).
struct LinkRandom {
    private var state: UInt64

    /// Makes the generator of one way of one connection, so that what others do does not change its numbers.
    init(seed: UInt64, connection: UInt64, direction: LinkPacer.Direction) {
        state = seed
        state = next() ^ (connection &* 2 &+ (direction == .up ? 1 : 0))
        state = next()
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
