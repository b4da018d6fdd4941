import Foundation

/// The decoder against Foundation's: what one accepts the other does, with the same value, and errors are of the same kind.
enum DecoderFuzz {
    static func run(_ input: FuzzInput) {
        // What is deep is refused by both, and decoding it takes a thread's whole stack with the sanitizer.
        guard input.stream.count(where: { $0 == 0x5B || $0 == 0x7B }) < 100 else { return }
        // Foundation's takes the digits of an exponent for those of the number, and so refuses short zeros that have one.
        guard !hasZeroWithExponent(input.stream) else { return }
        // And it drops digits behind the thirty-eighth, so that an integer may be what is none.
        guard !hasLongFraction(input.stream) else { return }
        let flags = [input.flag(0), input.flag(1), input.flag(2)]
        let theirs = JSONDecoder()
        if flags[0] { theirs.keyDecodingStrategy = .convertFromSnakeCase }
        if flags[1] {
            theirs.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        }
        if flags[2] { theirs.dateDecodingStrategy = .iso8601 }
        // One that has decoded the inputs before: what it keeps must not be seen.
        let ours = kept[(flags[0] ? 1 : 0) + (flags[1] ? 2 : 0) + (flags[2] ? 4 : 0)]
        compare(AnyValue.self, input.stream, ours, theirs)
        compare(Record.self, input.stream, ours, theirs)
        compare([Record].self, input.stream, ours, theirs)
    }

    /// A decoder for each combination of strategies.
    private static let kept = (0..<8).map { combination in
        var decoder = StreamingJSONDecoder()
        if combination & 1 != 0 { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        if combination & 2 != 0 {
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        }
        if combination & 4 != 0 { decoder.dateDecodingStrategy = .iso8601 }
        return decoder
    }

    private static func hasZeroWithExponent(_ bytes: [UInt8]) -> Bool {
        for (place, byte) in bytes.enumerated() where byte | 0x20 == 0x65 && place > 0 && bytes[place - 1] == 0x30 {
            var first = place
            while first > 0, bytes[first - 1] == 0x30 || bytes[first - 1] == 0x2E { first -= 1 }
            if first == 0 || !(0x31...0x39).contains(bytes[first - 1]) { return true }
        }
        return false
    }

    private static func hasLongFraction(_ bytes: [UInt8]) -> Bool {
        bytes.split { !(0x30...0x39).contains($0) && $0 != 0x2E }.contains { $0.count > 38 && $0.contains(0x2E) }
    }

    private static func compare<Value: Decodable & Equatable>(
        _ type: Value.Type, _ bytes: [UInt8], _ ours: StreamingJSONDecoder, _ theirs: JSONDecoder
    ) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
        defer { memory.deallocate() }
        let found = outcome { try ours.decode(type, from: UnsafeRawBufferPointer(memory)) }
        let expected = outcome { try theirs.decode(type, from: Data(bytes)) }
        require(found == expected, "\(found) instead of \(expected)")
    }

    private enum Outcome<Value: Equatable>: Equatable {
        case value(Value)
        case failure(String)
    }

    private static func outcome<Value: Equatable>(_ decode: () throws -> Value) -> Outcome<Value> {
        do {
            return .value(try decode())
        } catch let error as DecodingError {
            func path(_ context: DecodingError.Context) -> String {
                context.codingPath.map(\.stringValue).joined(separator: "/") + " " + context.debugDescription
            }
            return switch error {
            case .typeMismatch(let type, let context): .failure("mismatch \(type) \(path(context))")
            case .valueNotFound(let type, let context): .failure("no value \(type) \(path(context))")
            case .keyNotFound(let key, let context): .failure("no key \(key.stringValue) \(path(context))")
            case .dataCorrupted(let context): .failure("corrupted \(path(context))")
            @unknown default: .failure("\(error)")
            }
        } catch {
            return .failure("\(error)")
        }
    }

    /// Any JSON.
    ///
    /// Numbers that are equal may be another one's, so that the sign of zero is compared too.
    private indirect enum AnyValue: Decodable, Equatable {
        case null
        case bool(Bool)
        case whole(Int)
        case number(UInt64)
        case string(String)
        case array([AnyValue])
        case object([String: AnyValue])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let bool = try? value.decode(Bool.self) {
                self = .bool(bool)
            } else if let whole = try? value.decode(Int.self) {
                self = .whole(whole)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number.bitPattern)
            } else if let string = try? value.decode(String.self) {
                self = .string(string)
            } else if var array = try? decoder.unkeyedContainer() {
                var elements: [AnyValue] = []
                while !array.isAtEnd { elements.append(try array.decode(AnyValue.self)) }
                self = .array(elements)
            } else {
                let object = try decoder.container(keyedBy: Key.self)
                // In one order, so that both meet the same error first.
                let members = try object.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
                    ($0.stringValue, try object.decode(AnyValue.self, forKey: $0))
                }
                self = .object(Dictionary(members, uniquingKeysWith: { first, _ in first }))
            }
        }
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A record with a bit of everything.
    private struct Record: Decodable, Equatable {
        struct Inner: Decodable, Equatable {
            var x: Double
            var y: Float?
        }

        enum Kind: String, Decodable { case a, b }

        var id: Int
        var name: String?
        var small: UInt8?
        var wide: UInt64?
        var kind: Kind?
        var userName: String?
        var date: Date?
        var url: URL?
        var data: Data?
        var decimal: Decimal?
        var inner: Inner?
        var list: [Inner?]?
    }
}
