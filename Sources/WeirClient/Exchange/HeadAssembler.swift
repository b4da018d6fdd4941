/// Gathers the lines of response heads: tells interim (1xx) from final, and heads from trailers.
///
/// It holds the bytes of one head only, the latest. No I/O; one instance serves one exchange after another.
struct HeadAssembler {
    /// What a line meant.
    enum Event: Equatable {
        /// Nothing to act on.
        case more
        /// The status line of the final response.
        case finalStatus
        /// The final head is complete.
        case complete
        /// The heads are larger than ``maximumBytes`` together.
        case tooLarge
        /// The final head's Content-Length is not a number, or there are several that differ.
        case malformed
    }

    private enum State {
        case expectingStatus
        case insideInterim
        case insideFinal
        case complete
    }

    /// The most bytes of all heads of one response.
    static let maximumBytes = 256 * 1024

    private var state = State.expectingStatus
    /// The lines of the latest head, each with its line end.
    private(set) var bytes: [UInt8] = []
    /// The bytes of all heads so far, interim ones included.
    private(set) var byteCount = 0
    /// The status of the latest head, 0 when there was none.
    private(set) var status = 0

    var isComplete: Bool { state == .complete }

    mutating func reset() {
        state = .expectingStatus
        bytes.removeAll(keepingCapacity: bytes.capacity <= 16 * 1024)
        byteCount = 0
        status = 0
    }

    /// Takes one line, its line end included.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Event {
        if state == .complete { return .more }  // a trailer
        byteCount += line.count
        if byteCount > Self.maximumBytes { return .tooLarge }
        if state == .expectingStatus {
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: line)
            status = Self.status(ofLine: line)
            state = (100..<200).contains(status) ? .insideInterim : .insideFinal
            return state == .insideFinal ? .finalStatus : .more
        }
        bytes.append(contentsOf: line)
        guard line.count <= 2, line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) else { return .more }
        if state == .insideInterim {
            state = .expectingStatus
            return .more
        }
        state = .complete
        return hasValidLength ? .complete : .malformed
    }

    /// Whether the body's size is told in digits only and once, or in several fields that agree (RFC 9112, section 6.3).
    ///
    /// libcurl takes `12abc` for 12, and of several fields the last.
    private var hasValidLength: Bool {
        var known: Slice<UnsafeBufferPointer<UInt8>>?
        return allValues(of: "content-length") { value in
            var rest = value[...]
            while true {
                let comma = rest.firstIndex(of: 0x2C)
                let part = rest[..<(comma ?? rest.endIndex)]
                    .drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
                guard !part.isEmpty, part.count <= 18, part.allSatisfy({ (0x30...0x39).contains($0) }) else {
                    return false
                }
                if let known, !known.elementsEqual(part) { return false }
                known = part
                guard let comma else { return true }
                rest = rest[(comma + 1)...]
            }
        }
    }

    /// The three digits after the first space of `HTTP/1.1 200 OK`, or 0.
    private static func status(ofLine line: UnsafeRawBufferPointer) -> Int {
        guard let space = line.firstIndex(of: 0x20), line.count >= space + 4 else { return 0 }
        var value = 0
        for byte in line[(space + 1)..<(space + 4)] {
            guard (0x30...0x39).contains(byte) else { return 0 }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}

extension HeadAssembler {
    /// Whether the head has a field of that name, in lower case, with a value.
    func hasField(_ name: StaticString) -> Bool {
        !allValues(of: name) { value in !value.contains { $0 > 0x20 } }
    }

    /// Whether all values, untrimmed, of the fields of that name, in lower case, pass a test; they live as long as it runs.
    private func allValues(of name: StaticString, _ test: (Slice<UnsafeBufferPointer<UInt8>>) -> Bool) -> Bool {
        let length = name.utf8CodeUnitCount
        return bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
                if start + length < end, bytes[start + length] == 0x3A,
                    (0..<length).allSatisfy({ bytes[start + $0] | 0x20 == name.utf8Start[$0] }),
                    !test(bytes[(start + length + 1)..<end])
                {
                    return false
                }
                start = end + 1
            }
            return true
        }
    }
}
