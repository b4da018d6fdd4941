import Foundation
import Testing
import WeirStreams
import WeirTestSupport

/// One decoder over many texts: what it keeps from one to the next must not be seen.
@Suite struct StreamingJSONDecoderKeyTests {
    private static let names = [
        "", "a", "b", "ab", "abcdefg", "abcdefgh", "abcdefgi", "abcdefghi", "bbcdefghi", "abcdefghijklmno",
        "abcdefghijklmnop", "abcdefghijklmnopq", "xbcdefghijklmnopq", "é",
    ]

    /// Keys of one byte each, with texts of all lengths that are compared in another way.
    private struct Record: Codable, Equatable {
        var empty: Int?
        var a: Int?
        var b: Int?
        var two: Int?
        var seven: Int?
        var eight: Int?
        var eightToo: Int?
        var nine: Int?
        var nineToo: Int?
        var fifteen: Int?
        var sixteen: Int?
        var seventeen: Int?
        var seventeenToo: Int?
        var accent: Int?

        enum CodingKeys: String, CodingKey {
            case empty = ""
            case a, b
            case two = "ab"
            case seven = "abcdefg"
            case eight = "abcdefgh"
            case eightToo = "abcdefgi"
            case nine = "abcdefghi"
            case nineToo = "bbcdefghi"
            case fifteen = "abcdefghijklmno"
            case sixteen = "abcdefghijklmnop"
            case seventeen = "abcdefghijklmnopq"
            case seventeenToo = "xbcdefghijklmnopq"
            case accent = "é"
        }
    }

    @Test func keysInAnyOrderMissingAndTwice() throws {
        var random = SeededNumbers(seed: 21)
        let ours = StreamingJSONDecoder()
        let theirs = JSONDecoder()
        for round in 0..<600 {
            var names = Self.names.map { $0 == "é" && round % 3 == 0 ? "e\u{301}" : $0 }
            // In the text's order for a while, so that what is expected next is right, and then is not.
            if round % 10 > 5 { names.shuffle(using: &random) }
            let missing = round % 4 == 0 ? Int.random(in: 0...names.count, using: &random) : 0
            names.removeLast(missing)
            if round % 7 == 0 { names.append(Self.names[Int.random(in: 0..<Self.names.count, using: &random)]) }
            if round % 5 == 0 { names.insert("other", at: Int.random(in: 0...names.count, using: &random)) }
            let members = names.enumerated().map { place, name in
                "\"\(name)\":\(Int.random(in: 0...8, using: &random) == 0 ? "null" : "\(place)")"
            }
            let text = "{" + members.joined(separator: round % 2 == 0 ? "," : " ,\n") + "}"
            let expected = try theirs.decode([Record].self, from: Data("[\(text),\(text)]".utf8))
            #expect(try ours.decode([Record].self, from: "[\(text),\(text)]") == expected, "\(text)")
            #expect(try ours.decode(Record.self, from: text) == expected[0], "\(text)")
        }
    }

    /// A key that is asked for twice, and one before the last one.
    @Test func keysThatAreAskedForAgain() throws {
        struct Asking: Decodable {
            var values: [Int] = []
            enum Keys: String, CodingKey { case one, two, three, four }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                for key in [Keys.two, .two, .one, .four, .one, .three, .two, .four] {
                    if container.contains(key) { values.append(try container.decode(Int.self, forKey: key)) }
                }
                #expect(container.allKeys.count == 3)
            }
        }
        let decoder = StreamingJSONDecoder()
        for text in [#"{"one":1,"two":2,"three":3}"#, #"{"three":3,"two":2,"one":1}"#, #"{"two":2,"one":1,"three":3}"#]
        {
            for _ in 0..<3 { #expect(try decoder.decode(Asking.self, from: text).values == [2, 2, 1, 1, 3, 2]) }
        }
    }

    /// A key's value is its text for text, and the case's byte for enumerations: the two must not be mixed up.
    @Test func keysOfOtherTypes() throws {
        struct Small: CodingKey {
            var byte: UInt8
            var stringValue: String { "k\(byte)" }
            var intValue: Int? { nil }
            init(_ byte: UInt8) { self.byte = byte }
            init?(stringValue: String) { nil }
            init?(intValue: Int) { nil }
        }
        enum Many: UInt8, CaseIterable, CodingKey {
            case a0 = 0
            case a200 = 200
            var stringValue: String { "k\(rawValue)" }
            var intValue: Int? { nil }
            init?(stringValue: String) { nil }
            init?(intValue: Int) { nil }
        }
        struct Sum: Decodable {
            var sum = 0
            init(from decoder: any Decoder) throws {
                let small = try decoder.container(keyedBy: Small.self)
                for byte in [0, 63, 64, 200] { sum += try small.decode(Int.self, forKey: Small(UInt8(byte))) }
                let many = try decoder.container(keyedBy: Many.self)
                for key in Many.allCases { sum += try many.decode(Int.self, forKey: key) }
            }
        }
        let decoder = StreamingJSONDecoder()
        for _ in 0..<3 {
            #expect(try decoder.decode(Sum.self, from: #"{"k0":1,"k63":10,"k64":100,"k200":1000}"#).sum == 2112)
        }
    }

    private final class Late: Decodable {
        enum Keys: String, CodingKey { case id, list }
        let decoder: any Decoder
        let container: KeyedDecodingContainer<Keys>
        let nested: KeyedDecodingContainer<Keys>?

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            container = try decoder.container(keyedBy: Keys.self)
            nested = try? container.nestedContainer(keyedBy: Keys.self, forKey: .list)
        }
    }

    /// What outlives a call stays valid, whether it was made during the call or after it, and whatever else is let go of.
    @Test func containersOutliveTheirDecoder() throws {
        var kept: [(container: KeyedDecodingContainer<Late.Keys>, id: Int)] = []
        for round in 0..<30 {
            // Gone before the containers are used.
            let decoder = StreamingJSONDecoder()
            let late = try decoder.decode(Late.self, from: "{\"id\":\(round),\"list\":{\"id\":\(round + 100)}}")
            switch round % 3 {
            case 0: kept.append((late.container, round))
            case 1: kept.append((try late.decoder.container(keyedBy: Late.Keys.self), round))
            default: if let nested = late.nested { kept.append((nested, round + 100)) }
            }
            _ = try decoder.decode(Late.self, from: #"{"list":{"id":-1},"id":-2}"#)
        }
        #expect(kept.count == 30)
        for (container, id) in kept {
            #expect(try container.decode(Int.self, forKey: .id) == id)
            if id < 100 {
                let inner = try container.nestedContainer(keyedBy: Late.Keys.self, forKey: .list)
                #expect(try inner.decode(Int.self, forKey: .id) == id + 100)
            }
        }
    }

    @Test func digitsOfEveryCount() throws {
        let decoder = StreamingJSONDecoder()
        let digits = "9876543210123456789012345"
        for count in 1...24 {
            let whole = String(digits.prefix(count))
            for sign in ["", "-"] {
                #expect(try decoder.decode(Double.self, from: sign + whole) == Double(sign + whole))
                #expect((try? decoder.decode(Int.self, from: sign + whole)) == Int(sign + whole))
                #expect((try? decoder.decode(UInt16.self, from: sign + whole)) == UInt16(sign + whole))
                for point in 1..<max(count, 2) where count > 1 {
                    let text = sign + whole.prefix(point) + "." + whole.dropFirst(point)
                    #expect(try decoder.decode([Double].self, from: "[\(text),\(text)e-3]").first == Double(text))
                }
            }
        }
        for text in ["1-2", "1+2", "1e", "1e+", "--1", "1.2.3", "01", "-", "1.", "12345678-", "1234567.e1"] {
            #expect(throws: DecodingError.self) { try decoder.decode([Double].self, from: "[\(text)]") }
            #expect(throws: DecodingError.self) { try decoder.decode([Int].self, from: "[\(text)]") }
        }
    }
}
