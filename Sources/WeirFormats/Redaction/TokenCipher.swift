import Foundation
import WeirEvidence

/// Replaces tokens, runs of letters and digits, by others of the same shape, under a key.
///
/// A token's pseudonym depends on the token and the key alone, and no two tokens have the same one: it is a permutation of
/// all tokens of a shape. So values that were equal stay equal wherever they stand, and no others become so. The shape is
/// the length in bytes, which characters are digits, capitals and small letters, and what ``ValueStrength`` makes of it.
///
/// It is a Feistel network over the characters, each in its own alphabet, with SipHash as the round function, walked on
/// until the shape fits (the way of format-preserving encryption, NIST SP 800-38G). Complexity: O(bytes).
struct TokenCipher {
    /// A character of a token: which one it is of how many that may stand there.
    private struct Symbol {
        var value: UInt32
        var radix: UInt32
        /// How the value is written: the first byte of an ASCII alphabet, or an alphabet of other characters.
        var alphabet: Alphabet
    }

    private enum Alphabet {
        /// Characters that follow each other from this one.
        case ascii(UInt8)
        /// Bytes that stay.
        case fixed
        /// The last so many bits of each of some continuation bytes; the bytes before them stay.
        case continuation(count: Int)
        /// A lead byte from this one, and all bits of its continuation bytes.
        case lead(UInt8, count: Int)
    }

    private static let rounds = 8
    /// How often a pseudonym of another shape is passed over.
    private static let patience = 20_000

    private let key: (UInt64, UInt64)
    private let isKept: (UnsafeRawBufferPointer) -> Bool

    /// Makes a cipher.
    ///
    /// - Parameters:
    ///   - key: 128 random bits.
    ///   - isKept: Whether a token stays as it is; no pseudonym is one of these.
    init(key: (UInt64, UInt64), isKept: @escaping (UnsafeRawBufferPointer) -> Bool) {
        self.key = key
        self.isKept = isKept
    }

    /// The pseudonym of a token.
    func pseudonym(of token: UnsafeRawBufferPointer) -> [UInt8] {
        let symbols = Self.symbols(of: token)
        guard symbols.contains(where: { $0.radix > 1 }) else { return Array(token) }
        let strength = ValueStrength(token)
        let isHex = Self.isHex(token)
        let mayDecode = token.count >= 8 && ValuePseudonyms.decoded(token) != nil
        var current = symbols
        var bytes: [UInt8] = []
        for _ in 0..<Self.patience {
            permute(&current)
            bytes = Self.bytes(of: current, like: token)
            let fits = bytes.withUnsafeBytes { candidate in
                ValueStrength(candidate) == strength && Self.isHex(candidate) == isHex && !isKept(candidate)
                    && (token.count >= 8 && ValuePseudonyms.decoded(candidate) != nil) == mayDecode
            }
            if fits { break }
        }
        return bytes
    }

    // MARK: Permutation

    private func permute(_ symbols: inout [Symbol]) {
        let free = symbols.indices.filter { symbols[$0].radix > 1 }
        if free.count == 1, let index = free.first, symbols[index].radix <= 64 { return permute(&symbols, at: index) }
        for round in 0..<Self.rounds {
            let changed = round & 1
            var hasher = Hasher()
            hasher.combine(key.0)
            hasher.combine(key.1)
            hasher.combine(round)
            for index in symbols.indices {
                hasher.combine(symbols[index].radix)
                if index & 1 != changed { hasher.combine(symbols[index].value) }
            }
            var stream = UInt64(bitPattern: Int64(hasher.finalize()))
            var index = changed
            while index < symbols.count {
                stream &+= 0x9E37_79B9_7F4A_7C15
                let radix = symbols[index].radix
                if radix > 1 {
                    let shift = UInt32(Self.mix(stream) % UInt64(radix))
                    symbols[index].value = (symbols[index].value + shift) % radix
                }
                index += 2
            }
        }
    }

    /// One character alone has no other to depend on: all that may stand there are shuffled.
    private func permute(_ symbols: inout [Symbol], at index: Int) {
        func rank(_ value: UInt32) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(key.0)
            hasher.combine(key.1)
            for (place, symbol) in symbols.enumerated() {
                hasher.combine(symbol.radix)
                hasher.combine(place == index ? value : symbol.value)
            }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        let own = rank(symbols[index].value)
        symbols[index].value = UInt32(truncatingIfNeeded: (0..<symbols[index].radix).count { rank($0) < own })
    }

    /// The finaliser of SplitMix64.
    private static func mix(_ value: UInt64) -> UInt64 {
        var z = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    // MARK: Symbols

    static func isHex(_ token: UnsafeRawBufferPointer) -> Bool {
        token.allSatisfy { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 6 }
    }

    private static func symbols(of token: UnsafeRawBufferPointer) -> [Symbol] {
        var result: [Symbol] = []
        result.reserveCapacity(token.count)
        let isNumber = token.allSatisfy { $0 &- 0x30 < 10 }
        let isHex = isHex(token)
        // The zeros at the end of a number say how round it is, and one at its start that it is none.
        let zeros = isNumber ? token.reversed().prefix { $0 == 0x30 }.count : 0
        var i = 0
        while i < token.count {
            let byte = token[i]
            switch byte {
            case 0x30...0x39:
                let isFixed = isNumber && (i >= token.count - zeros || i == 0 && byte == 0x30)
                let isPositive = isNumber && (i == 0 || i == token.count - zeros - 1) && byte != 0x30
                let first: UInt8 = isPositive ? 0x31 : 0x30
                result.append(
                    isFixed
                        ? Symbol(value: UInt32(byte), radix: 1, alphabet: .fixed)
                        : Symbol(value: UInt32(byte - first), radix: isPositive ? 9 : 10, alphabet: .ascii(first)))
            case 0x41...0x5A:
                result.append(Symbol(value: UInt32(byte - 0x41), radix: isHex ? 6 : 26, alphabet: .ascii(0x41)))
            case 0x61...0x7A:
                result.append(Symbol(value: UInt32(byte - 0x61), radix: isHex ? 6 : 26, alphabet: .ascii(0x61)))
            default:
                let (symbol, length) = wide(token, at: i)
                result.append(symbol)
                i += length - 1
            }
            i += 1
        }
        return result
    }

    /// A character that is not ASCII, among those of its script and its length, and its length in bytes.
    private static func wide(_ token: UnsafeRawBufferPointer, at i: Int) -> (Symbol, Int) {
        let lead = token[i]
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1
        guard length > 1, i + length <= token.count, lead < 0xF5,
            token[(i + 1)..<(i + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { return (Symbol(value: UInt32(lead), radix: 1, alphabet: .fixed), 1) }
        func bits(_ count: Int) -> UInt32 {
            token[(i + length - count)..<(i + length)].reduce(0) { $0 << 6 | UInt32($1 & 0x3F) }
        }
        func continuation(_ count: Int) -> Symbol {
            Symbol(value: bits(count), radix: 1 << UInt32(6 * count), alphabet: .continuation(count: count))
        }
        func leads(_ first: UInt8, _ last: UInt8) -> Symbol {
            let count = length - 1
            let block: UInt32 = 1 << UInt32(6 * count)
            return Symbol(
                value: UInt32(lead - first) * block + bits(count), radix: UInt32(last - first + 1) * block,
                alphabet: .lead(first, count: count))
        }
        let symbol: Symbol
        switch lead {
        // The controls of Latin-1 are no letters.
        case 0xC2: symbol = Symbol(value: UInt32(lead), radix: 1, alphabet: .fixed)
        case 0xC3...0xC5: symbol = leads(0xC3, 0xC5)
        case 0xCE, 0xCF: symbol = leads(0xCE, 0xCF)
        case 0xD0, 0xD1: symbol = leads(0xD0, 0xD1)
        case 0xD8...0xDB: symbol = leads(0xD8, 0xDB)
        case 0xE4...0xE8: symbol = leads(0xE4, 0xE8)
        case 0xEB, 0xEC: symbol = leads(0xEB, 0xEC)
        case 0xE1, 0xE3, 0xE9, 0xEA: symbol = continuation(2)
        case 0xF0...0xF4: symbol = continuation(2)
        default: symbol = continuation(1)
        }
        // What stays fixed is as long as the character.
        return (symbol, symbol.radix == 1 ? 1 : length)
    }

    private static func bytes(of symbols: [Symbol], like token: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(token.count)
        for symbol in symbols {
            switch symbol.alphabet {
            case .ascii(let first): result.append(first + UInt8(truncatingIfNeeded: symbol.value))
            case .fixed: result.append(UInt8(truncatingIfNeeded: symbol.value))
            case .continuation(let count):
                let lead = token[result.count]
                let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
                result += token[result.count..<(result.count + length - count)]
                append(symbol.value, count, to: &result)
            case .lead(let first, let count):
                result.append(first + UInt8(truncatingIfNeeded: symbol.value >> UInt32(6 * count)))
                append(symbol.value, count, to: &result)
            }
        }
        return result
    }

    private static func append(_ bits: UInt32, _ count: Int, to result: inout [UInt8]) {
        for place in (0..<count).reversed() {
            result.append(0x80 | UInt8(truncatingIfNeeded: bits >> UInt32(6 * place) & 0x3F))
        }
    }
}
