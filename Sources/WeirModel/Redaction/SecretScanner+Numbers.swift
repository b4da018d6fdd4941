extension SecretScanner {
    // MARK: Addresses

    /// `192.0.2.1`: four numbers up to 255.
    func dottedAddress(at i: Int) -> Finding? {
        guard i == 0 || bytes[i - 1] != UInt8(ascii: ".") else { return nil }
        var place = i
        for part in 0..<4 {
            let stop = end(from: place, atMost: 4, while: Self.isDigit)
            guard stop > place, stop - place <= 3 else { return nil }
            let value = bytes[place..<stop].reduce(0) { $0 * 10 + Int($1 &- 0x30) }
            guard value <= 255 else { return nil }
            place = stop
            if part < 3 {
                guard place < bytes.count, bytes[place] == UInt8(ascii: ".") else { return nil }
                place += 1
            }
        }
        // A fifth part makes it something else, and so does a letter.
        if place + 1 < bytes.count, bytes[place] == UInt8(ascii: "."), Self.isDigit(bytes[place + 1]) { return nil }
        if place < bytes.count, Self.isAlphanumeric(bytes[place]) { return nil }
        return Finding(kind: .address, range: i..<place)
    }

    /// `2001:db8::1` or `00:1b:63:84:45:e6`: groups of hexadecimal digits between colons.
    func colonAddress(at i: Int) -> Finding? {
        // The longest form has 45 characters.
        let stop = end(from: i, atMost: 46) { Self.isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        var last = stop
        while last > i, bytes[last - 1] == UInt8(ascii: ".") || bytes[last - 1] == UInt8(ascii: ":") {
            // `fe80::` ends in colons, a sentence in one.
            if bytes[last - 1] == UInt8(ascii: ":"), last - i >= 2, bytes[last - 2] == UInt8(ascii: ":") { break }
            last -= 1
        }
        guard last - i >= 3, last - i <= 45, last == bytes.count || !Self.isAlphanumeric(bytes[last]) else {
            return nil
        }
        let text = bytes[i..<last]
        let colons = text.count { $0 == UInt8(ascii: ":") }
        guard colons >= 2 else { return nil }
        var isDouble = false
        for place in text.indices.dropLast()
        where text[place] == UInt8(ascii: ":") && text[place + 1] == UInt8(ascii: ":") {
            isDouble = true
        }
        let groups = text.split(separator: UInt8(ascii: ":"))
        let isHardware = colons == 5 && groups.count == 6 && groups.allSatisfy { $0.count == 2 }
        let isNetwork =
            groups.allSatisfy { $0.count <= 4 || $0.contains(UInt8(ascii: ".")) }
            && (isDouble ? colons <= 7 && !groups.isEmpty : colons == 7 && groups.count == 8)
        guard isHardware || isNetwork else { return nil }
        return Finding(kind: .address, range: i..<last)
    }

    /// 8-4-4-4-12 hexadecimal digits (RFC 9562).
    func uuid(at i: Int) -> Finding? {
        guard i + 36 <= bytes.count, i + 36 == bytes.count || !Self.isAlphanumeric(bytes[i + 36]) else { return nil }
        for offset in 0..<36 {
            let isHyphen = offset == 8 || offset == 13 || offset == 18 || offset == 23
            if isHyphen ? bytes[i + offset] != UInt8(ascii: "-") : !Self.isHex(bytes[i + offset]) { return nil }
        }
        return Finding(kind: .uuid, range: i..<(i + 36))
    }

    // MARK: Numbers

    /// A card, a telephone's or a person's number that begins here.
    func number(at i: Int) -> Finding? {
        if let found = socialSecurityNumber(at: i) { return found }
        var digits: [UInt8] = []
        var place = i
        var best: Finding?
        // At most 19 digits (ISO/IEC 7812), in groups apart by one space or hyphen.
        while place < bytes.count, digits.count <= 19 {
            if Self.isDigit(bytes[place]) {
                digits.append(bytes[place] &- 0x30)
                place += 1
                let isEnd = place == bytes.count || !Self.isDigit(bytes[place])
                if isEnd, place == bytes.count || !Self.isLetter(bytes[place]), 12...19 ~= digits.count,
                    Self.passesLuhn(digits)
                {
                    if Self.hasIssuer(digits) {
                        best = Finding(kind: .card, range: i..<place)
                    } else if digits.count == 15 {
                        best = Finding(kind: .imei, range: i..<place)
                    }
                }
            } else if bytes[place] == 0x20 || bytes[place] == UInt8(ascii: "-"), place + 1 < bytes.count,
                Self.isDigit(bytes[place + 1])
            {
                place += 1
            } else {
                break
            }
        }
        return best
    }

    private func socialSecurityNumber(at i: Int) -> Finding? {
        guard i + 11 <= bytes.count, i + 11 == bytes.count || !Self.isAlphanumeric(bytes[i + 11]) else { return nil }
        for offset in 0..<11 {
            let isHyphen = offset == 3 || offset == 6
            if isHyphen ? bytes[i + offset] != UInt8(ascii: "-") : !Self.isDigit(bytes[i + offset]) { return nil }
        }
        return Finding(kind: .ssn, range: i..<(i + 11))
    }

    /// The check digit of ISO/IEC 7812-1, annex B.
    static func passesLuhn(_ digits: [UInt8]) -> Bool {
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            let value = place % 2 == 0 ? Int(digit) : Int(digit) * 2
            sum += value > 9 ? value - 9 : value
        }
        return sum % 10 == 0 && digits.contains { $0 != 0 }
    }

    /// The ranges of first digits that issuers of cards have, each by a number of six digits.
    private static let issuers: [ClosedRange<Int>] = [
        100_000...199_999, 222_100...272_099, 300_000...305_999, 309_000...309_999, 340_000...399_999,
        352_800...358_999, 400_000...499_999, 500_000...509_999, 510_000...559_999, 560_000...589_999,
        600_000...699_999,
    ]

    static func hasIssuer(_ digits: [UInt8]) -> Bool {
        let first = digits.prefix(6).reduce(0) { $0 * 10 + Int($1) }
        return issuers.contains { $0.contains(first) }
    }

    /// `DE89 3704 0044 0532 0130 00`, by its check digits (ISO 13616, ISO 7064 MOD 97-10).
    func accountNumber(at i: Int) -> Finding? {
        guard i + 15 <= bytes.count, bytes[i] &- 0x41 < 26, bytes[i + 1] &- 0x41 < 26, Self.isDigit(bytes[i + 2]),
            Self.isDigit(bytes[i + 3])
        else { return nil }
        var text: [UInt8] = []
        var place = i
        var best: Finding?
        while place < bytes.count, text.count < 34 {
            let byte = bytes[place]
            if Self.isDigit(byte) || byte &- 0x41 < 26 {
                text.append(byte)
                place += 1
                let isEnd = place == bytes.count || !Self.isAlphanumeric(bytes[place])
                if isEnd, text.count >= 15, Self.remainder(text) == 1 { best = Finding(kind: .iban, range: i..<place) }
            } else if byte == 0x20, place + 1 < bytes.count, Self.isAlphanumeric(bytes[place + 1]) {
                place += 1
            } else {
                break
            }
        }
        return best
    }

    private static func remainder(_ text: [UInt8]) -> Int {
        (text[4...] + text[..<4]).reduce(0) { sum, byte in
            let isDigit = isDigit(byte)
            return isDigit ? (sum * 10 + Int(byte &- 0x30)) % 97 : (sum * 100 + Int(byte &- 0x37)) % 97
        }
    }
}
