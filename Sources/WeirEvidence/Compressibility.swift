/// Tells from the first bytes of a body what gzip would make of it, in pure Swift.
///
/// It does what deflate does up to writing: finds repetitions in a window, counts the symbols, and takes the entropy of
/// those as the bits of their codes (RFC 1951). Bytes are held until ``sampleSize`` of them were seen, and dropped then;
/// nothing of them can be had from it but one number.
package struct Compressibility: Sendable {
    /// How much of a body is looked at: deflate's window.
    package static let sampleSize = 32 * 1024

    private let limit: Int
    private var sample: [UInt8] = []
    private var seen = 0
    private var estimate: Double?

    /// Makes one that has seen nothing.
    ///
    /// - Parameter limit: How much of the body is looked at; with less, what repeats further away is not seen.
    package init(limit: Int = Self.sampleSize) { self.limit = max(1, min(limit, Self.sampleSize)) }

    /// Takes the next bytes of a body without content coding.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        seen += bytes.count
        guard estimate == nil else { return }
        sample.append(contentsOf: bytes.prefix(limit - sample.count))
        if sample.count >= limit { measure() }
    }

    /// The part of the body that remains when it is compressed, from 0 to about 1; nil of nothing.
    package mutating func share() -> Double? {
        if estimate == nil, !sample.isEmpty { measure() }
        return estimate
    }

    /// The bytes that remain of the whole body when it is compressed; nil of nothing.
    package mutating func compressedBytes() -> Int64? {
        share().map { Int64(min((Double(seen) * $0).rounded(.up), 9e18)) }
    }

    private mutating func measure() {
        let bits = sample.withUnsafeBytes { DeflateEstimate($0).bits }
        // A gzip header and trailer (RFC 1952), once for the whole body: what is sampled here is a part of it.
        let frame = 18.0 * Double(sample.count) / Double(max(seen, sample.count))
        estimate = min(1.01, (bits / 8 + frame) / Double(sample.count))
        sample = []
    }
}

/// The number of bits that deflate would need.
private struct DeflateEstimate {
    private(set) var bits = 0.0

    private static let mostHashBits = 14
    /// How many symbols there are for literals; those for lengths follow.
    private static let literals = 256
    /// How many symbols there are, and how many for distances.
    private static let symbols = literals + 32
    private static let distances = 32
    private static let maximumLength = 258
    /// How many earlier places with the same three bytes are tried; zlib's default tries 128, and stops sooner.
    private static let chain = 8

    init(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        var extra = 0
        // At least eight places for each byte, so that few share one: to clear more would take longer than a small body does.
        let hashBits = min(Self.mostHashBits, Int.bitWidth - (count &* 8).leadingZeroBitCount)
        // How often each symbol occurs, and then each distance: memory of its own, since an array would be asked with each of
        // them whether it is shared.
        let symbols = UnsafeMutablePointer<Int>.allocate(capacity: Self.symbols + Self.distances)
        symbols.initialize(repeating: 0, count: Self.symbols + Self.distances)
        defer { symbols.deallocate() }
        let distances = symbols + Self.symbols
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: (1 << hashBits) + count) { table in
            // The places that follow in a chain are written before they are read.
            UnsafeMutableBufferPointer(rebasing: table[..<(1 << hashBits)]).initialize(repeating: -1)
            defer { table.deinitialize() }
            let previous = 1 << hashBits
            let shift = UInt32(32 - hashBits)

            func slot(_ i: Int) -> Int {
                // Four bytes in one where there are as many, and the last one dropped.
                let word =
                    i + 3 < count
                    ? UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: i, as: UInt32.self)) & 0xFF_FFFF
                    : UInt32(bytes[i]) | UInt32(bytes[i + 1]) << 8 | UInt32(bytes[i + 2]) << 16
                return Int((word &* 0x9E37_79B1) >> shift)
            }
            func insert(_ i: Int) {
                guard i + 2 < count else { return }
                let slot = slot(i)
                table[previous + i] = table[slot]
                table[slot] = Int32(i)
            }
            /// How many bytes are the same from two places on, eight at a time.
            func commonLength(_ a: Int, _ b: Int, _ most: Int) -> Int {
                var length = 0
                while length + 8 <= most {
                    let difference =
                        bytes.loadUnaligned(fromByteOffset: a + length, as: UInt64.self)
                        ^ bytes.loadUnaligned(fromByteOffset: b + length, as: UInt64.self)
                    if difference != 0 { return length + UInt64(littleEndian: difference).trailingZeroBitCount / 8 }
                    length += 8
                }
                while length < most, bytes[a + length] == bytes[b + length] { length += 1 }
                return length
            }
            /// The longest repetition of what stands at a place.
            func match(_ i: Int) -> (length: Int, distance: Int) {
                guard i + 3 < count else { return (0, 0) }
                var best = (length: 0, distance: 0)
                var candidate = Int(table[slot(i)])
                var tries = Self.chain
                let most = min(Self.maximumLength, count - i)
                while candidate >= 0, tries > 0 {
                    if best.length == 0 || bytes[candidate + best.length] == bytes[i + best.length] {
                        let length = commonLength(candidate, i, most)
                        if length > best.length { best = (length, i - candidate) }
                        if length == most { break }
                    }
                    candidate = Int(table[previous + candidate])
                    tries -= 1
                }
                // Three bytes from far away cost more than as literals.
                return best.length < 3 || (best.length == 3 && best.distance > 4096) ? (0, 0) : best
            }

            var i = 0
            // What was found at the next place, when that was looked at already.
            var ahead: (length: Int, distance: Int)?
            while i < count {
                let here = ahead ?? match(i)
                ahead = nil
                insert(i)
                if here.length >= 3, here.length < 32 { ahead = match(i + 1) }
                // A longer one that begins a byte later is better, as in deflate's lazy matching.
                if here.length >= 3, ahead?.length ?? 0 <= here.length {
                    ahead = nil
                    let (lengthCode, lengthBits) = Self.code(here.length - 3, step: 4)
                    let (distanceCode, distanceBits) = Self.code(here.distance - 1, step: 2)
                    symbols[Self.literals + min(lengthCode, 31)] += 1
                    distances[min(distanceCode, 31)] += 1
                    extra += lengthBits + distanceBits
                    for j in (i + 1)..<(i + here.length) { insert(j) }
                    i += here.length
                } else {
                    symbols[Int(bytes[i])] += 1
                    i += 1
                }
            }
        }
        // The code lengths of the used symbols stand before the data.
        let ofSymbols = UnsafeBufferPointer(start: symbols, count: Self.symbols)
        let ofDistances = UnsafeBufferPointer(start: distances, count: Self.distances)
        let header = 60 + 4 * ofSymbols.count { $0 > 0 } + 4 * ofDistances.count { $0 > 0 }
        bits = Self.entropy(ofSymbols) + Self.entropy(ofDistances) + Double(extra + header)
        bits = min(bits, Double(count) * 8 + 40)
    }

    /// Deflate's code of a length or distance, with the number of its extra bits: so many codes for each power of two.
    private static func code(_ value: Int, step: Int) -> (code: Int, bits: Int) {
        guard value >= 2 * step else { return (value, 0) }
        let log = Int.bitWidth - 1 - value.leadingZeroBitCount
        let bits = log - (step == 4 ? 2 : 1)
        return (bits * step + (value >> bits), bits)
    }

    /// The bits of all symbols, each by its frequency, and at least one.
    private static func entropy(_ counts: UnsafeBufferPointer<Int>) -> Double {
        let total = Double(counts.reduce(0, +))
        return counts.reduce(0.0) { sum, count in
            guard count > 0 else { return sum }
            return sum + Double(count) * max(1, log2(total / Double(count)))
        }
    }
}

/// The binary logarithm.
private func log2(_ value: Double) -> Double {
    // By parts, so that no C library is imported: exponent, and a series for the significand.
    let exponent = value.exponent
    let y = (value.significand - 1) / (value.significand + 1)
    let y2 = y * y
    let series = y * (1 + y2 * (1 / 3.0 + y2 * (1 / 5.0 + y2 * (1 / 7.0 + y2 * (1 / 9.0 + y2 / 11)))))
    return Double(exponent) + 2 * series / 0.693_147_180_559_945_3
}
