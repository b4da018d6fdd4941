extension RequestHead {
    /// Reads `method SP request-target SP HTTP-version` (RFC 9112, section 3), or says what is wrong with it.
    mutating func takeRequestLine(_ line: Range<Int>) -> Rejection? {
        let text = bytes[line]
        guard let methodEnd = text.firstIndex(of: ASCII.space), methodEnd > line.lowerBound,
            text[..<methodEnd].allSatisfy(ASCII.isToken)
        else { return .bad("The request line does not begin with a method and a space.") }
        let afterMethod = text[(methodEnd + 1)...]
        guard let targetEnd = afterMethod.firstIndex(of: ASCII.space), targetEnd > afterMethod.startIndex else {
            return .bad("The request line has no target between single spaces.")
        }
        let target = text[(methodEnd + 1)..<targetEnd]
        // Visible ASCII but for the fragment's mark: what RFC 3986 calls unwise, such as "|", browsers do send.
        guard target.allSatisfy({ $0 > ASCII.space && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            return .bad("The request target has a byte that must be percent-encoded.")
        }
        if let rejection = takeVersion(text[(targetEnd + 1)...]) { return rejection }

        method = Int32(line.lowerBound)..<Int32(methodEnd)
        self.target = Int32(methodEnd + 1)..<Int32(targetEnd)
        return checkTargetForm()
    }

    private mutating func takeVersion(_ version: ArraySlice<UInt8>) -> Rejection? {
        let start = version.startIndex
        guard version.count == 8, version.starts(with: "HTTP/".utf8), version[start + 6] == UInt8(ascii: "."),
            ASCII.isDigit(version[start + 5]), ASCII.isDigit(version[start + 7])
        else { return .bad("The request line does not end in an HTTP version.") }
        guard version[start + 5] == UInt8(ascii: "1") else {
            return Rejection(status: 505, reason: "Only HTTP/1.0 and HTTP/1.1 are spoken here.")
        }
        self.version = version[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
        return nil
    }

    /// Checks the target against the four forms of RFC 9112, section 3.2.
    private func checkTargetForm() -> Rejection? {
        let target = slice(self.target)
        if methodIs("CONNECT") { return Rejection(status: 501, reason: "This server is no proxy: no CONNECT.") }
        if target.first == UInt8(ascii: "/") { return nil }
        if target.elementsEqual("*".utf8) {
            return methodIs("OPTIONS") ? nil : .bad("The target * is for OPTIONS alone.")
        }
        guard let scheme = TargetParts.schemeEnd(of: target),
            target[scheme...].starts(with: "://".utf8),
            let authority = Optional(TargetParts.authority(of: target, schemeEnd: scheme)),
            HostValue.isValid(authority), !authority.isEmpty
        else { return .bad("The request target is neither a path nor an absolute URI.") }
        return nil
    }
}

/// The parts of a request target, as ranges of its bytes.
enum TargetParts {
    /// The index of the colon after a scheme, or nil.
    static func schemeEnd(of target: ArraySlice<UInt8>) -> Int? {
        guard let first = target.first, ASCII.lowercase(first) &- 0x61 < 26,
            let colon = target.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let plain = target[..<colon].allSatisfy { byte in
            ASCII.isDigit(byte) || ASCII.lowercase(byte) &- 0x61 < 26 || "+-.".utf8.contains(byte)
        }
        return plain ? colon : nil
    }

    static func authority(of target: ArraySlice<UInt8>, schemeEnd: Int) -> ArraySlice<UInt8> {
        target[schemeEnd...].dropFirst(3).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    }

    /// The path and the query of a target of any form; the query without its mark.
    static func pathAndQuery(of target: ArraySlice<UInt8>) -> (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) {
        var rest = target
        if target.first != UInt8(ascii: "/"), let scheme = schemeEnd(of: target) {
            rest = target[authority(of: target, schemeEnd: scheme).endIndex...]
        }
        guard let mark = rest.firstIndex(of: UInt8(ascii: "?")) else { return (rest, nil) }
        return (rest[..<mark], rest[(mark + 1)...])
    }
}

/// The value of a Host field, or an authority: `uri-host [ ":" port ]` (RFC 9110, section 7.2).
enum HostValue {
    static func isValid<Bytes: BidirectionalCollection<UInt8>>(_ value: Bytes) -> Bool
    where Bytes.Index == Int, Bytes.SubSequence == Bytes {
        var rest = value
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end > rest.startIndex + 2,
                rest[(rest.startIndex + 1)..<end].allSatisfy({ byte in
                    ASCII.hexValue(byte) != nil || ":.vV%".utf8.contains(byte)
                })
            else { return false }
            rest = rest[(end + 1)...]
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard isRegisteredName(name) else { return false }
            rest = rest[name.endIndex...]
            // A port without a host names nothing.
            if name.isEmpty, !rest.isEmpty { return false }
        }
        guard let colon = rest.first else { return true }
        let port = rest.dropFirst()
        guard colon == UInt8(ascii: ":"), port.allSatisfy(ASCII.isDigit) else { return false }
        return port.isEmpty || ASCII.decimal(port).map { $0 <= 65535 } ?? false
    }

    private static func isRegisteredName<Bytes: Collection<UInt8>>(_ name: Bytes) -> Bool where Bytes.Index == Int {
        var index = name.startIndex
        while index < name.endIndex {
            let byte = name[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < name.endIndex, ASCII.hexValue(name[index + 1]) != nil,
                    ASCII.hexValue(name[index + 2]) != nil
                else { return false }
                index += 3
                continue
            }
            let plain =
                ASCII.isDigit(byte) || ASCII.lowercase(byte) &- 0x61 < 26 || "-._~!$&'()*+,;=".utf8.contains(byte)
            guard plain else { return false }
            index += 1
        }
        return true
    }
}
