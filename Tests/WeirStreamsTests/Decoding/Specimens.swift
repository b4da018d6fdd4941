import Foundation
import Testing

// Types as apps have them, and types that use what of `Decoder` is seldom used.

struct Flat: Decodable, Equatable {
    var id: Int
    var name: String
    var score: Double
    var ratio: Float
    var isActive: Bool
    var note: String?
    var count: UInt8?
}

struct Deep: Decodable, Equatable {
    struct Author: Decodable, Equatable {
        var name: String
        var emails: [String]
    }

    enum Status: String, Decodable { case open, closed }

    var id: Int64
    var author: Author?
    var status: Status
    var tags: [String: Int]
    var children: [Deep]?
    var matrix: [[Double]]
    var maybe: [Int?]
}

struct Widths: Decodable, Equatable {
    var a: Int8?
    var b: Int16?
    var c: Int32?
    var d: Int64?
    var e: UInt8?
    var f: UInt16?
    var g: UInt32?
    var h: UInt64?
    var i: Int?
    var j: UInt?
    var k: Int128?
    var l: UInt128?
    var x: Double?
    var y: Float?
}

enum Shape: Decodable, Equatable {
    case point
    case circle(radius: Double)
    case box(Int, Int)
    case named(name: String, inner: [Int])
}

struct SnakeCased: Decodable, Equatable {
    var userName: String
    var imageURL: URL?
    var nested: Inner?
    var lookup: [String: Inner]?

    struct Inner: Decodable, Equatable { var oneTwoThree: Int }
    enum CodingKeys: String, CodingKey { case userName, imageURL = "imageUrl", nested, lookup }
}

struct Numbered: Decodable, Equatable {
    var one: Int
    var two: Numbers

    struct Numbers: Decodable, Equatable {
        var x: [Int]
        enum CodingKeys: Int, CodingKey { case x = 7 }
    }

    enum CodingKeys: Int, CodingKey {
        case one = 1
        case two = 2
    }
}

class Animal: Decodable {
    var name: String

    enum Keys: String, CodingKey { case name }
    required init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .name)
    }
}

final class Dog: Animal, Equatable {
    var legs: Int
    var path: String

    enum DogKeys: String, CodingKey { case legs, base }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DogKeys.self)
        legs = try container.decode(Int.self, forKey: .legs)
        let parent =
            container.contains(.base) ? try container.superDecoder(forKey: .base) : try container.superDecoder()
        path = parent.codingPath.map(\.stringValue).joined(separator: "/")
        try super.init(from: parent)
    }

    static func == (a: Dog, b: Dog) -> Bool { a.legs == b.legs && a.name == b.name && a.path == b.path }
}

/// A decoder of what is not there.
struct Orphan: Decodable, Equatable {
    var text: String?
    var path: [String]

    enum Keys: String, CodingKey { case parent, other }
    init(from decoder: any Decoder) throws {
        let parent = try decoder.container(keyedBy: Keys.self).superDecoder(forKey: .parent)
        path = parent.codingPath.map(\.stringValue)
        let value = try parent.singleValueContainer()
        text = value.decodeNil() ? nil : try value.decode(String.self)
        if text == "keyed" { _ = try parent.container(keyedBy: Keys.self) }
        if text == nil { _ = try value.decode(Int.self) }
    }
}

/// Any JSON, by trying.
indirect enum AnyJSON: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([AnyJSON])
    case object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([AnyJSON].self) {
            self = .array(array)
        } else {
            // In one order, so that two decoders meet the same error first.
            let object = try decoder.container(keyedBy: Repeated.Key.self)
            let members = try object.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
                ($0.stringValue, try object.decode(AnyJSON.self, forKey: $0))
            }
            self = .object(Dictionary(members, uniquingKeysWith: { first, _ in first }))
        }
    }
}

/// Containers within containers, opened by hand.
struct ByHand: Decodable, Equatable {
    var first: Int
    var second: String?
    var rest: [Double]
    var keys: [String]
    var index: Int
    var count: Int?
    var isNil: Bool
    var path: [String]

    enum Keys: String, CodingKey { case list, inner, deep, flag }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        first = try list.decode(Int.self)
        second = try list.decodeIfPresent(String.self)
        var inner = try list.nestedUnkeyedContainer()
        rest = []
        while !inner.isAtEnd { rest.append(try inner.decode(Double.self)) }
        index = list.currentIndex
        count = list.count
        let named = try container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        keys = named.allKeys.map(\.stringValue).sorted()
        path = try named.superDecoder(forKey: .deep).codingPath.map(\.stringValue) + named.codingPath.map(\.stringValue)
        isNil = try container.decodeNil(forKey: .flag)
        if list.isAtEnd { return }
        isNil = try list.decodeNil()
        _ = try list.nestedContainer(keyedBy: Keys.self)
        _ = try list.superDecoder()
        _ = try list.superDecoder()
    }
}

/// Elements that do not decode are passed over.
struct Lossy: Decodable, Equatable {
    var numbers: [Int] = []
    var failures: [Int] = []

    private struct Skipped: Decodable {}
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            if let number = try? container.decode(Int.self) {
                numbers.append(number)
            } else {
                failures.append(container.currentIndex)
                _ = try container.decode(Skipped.self)
            }
        }
        #expect(throws: DecodingError.self) { _ = try container.decode(Int.self) }
    }
}

/// What Foundation writes in its own way.
struct Special: Decodable, Equatable {
    var date: Date?
    var dates: [Date]?
    var data: Data?
    var url: URL?
    var decimal: Decimal?
    var id: UUID?
    var range: ClosedRange<Int>?
}

struct UserInfo: Decodable, Equatable {
    var text: String
    static let key = CodingUserInfoKey(rawValue: "test")

    init(from decoder: any Decoder) throws {
        text = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? "none"
    }
}

/// Keys asked for out of order, twice, and in several spellings.
struct Repeated: Decodable, Equatable {
    var values: [String]

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        values = try ["b", "a", "b", "K", "\u{212A}", "\u{E9}", "e\u{301}", "", "a"].map {
            let key = Key(stringValue: $0)
            guard container.contains(key) else { return "-" }
            return try container.decodeIfPresent(String.self, forKey: key) ?? "null"
        }
        values += container.allKeys.map(\.stringValue).sorted()
    }
}
