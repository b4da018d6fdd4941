import Foundation
import Testing
import WeirStreams
import WeirTestSupport

/// Each strategy against Foundation's decoder, with every type and document.
@Suite struct StreamingJSONDecoderStrategyTests {
    static let pairs: [DecoderPair] = [
        DecoderPair(keys: .convertFromSnakeCase),
        DecoderPair(keys: .custom { path in Name(path.last?.stringValue.lowercased() ?? "") }),
        DecoderPair(keys: .custom { path in Name("\(path.count)\(path.last?.stringValue ?? "")") }),
        DecoderPair(dates: .secondsSince1970), DecoderPair(dates: .millisecondsSince1970), DecoderPair(dates: .iso8601),
        DecoderPair(
            dates: .custom { decoder in
                let text = try decoder.singleValueContainer().decode(String.self)
                guard let number = Double(text.dropFirst()) else {
                    throw DecodingError.dataCorrupted(
                        .init(codingPath: decoder.codingPath, debugDescription: "no date"))
                }
                return Date(timeIntervalSinceReferenceDate: number)
            }),
        DecoderPair(dates: .formatted(formatter)),
        DecoderPair(data: .deferredToData),
        DecoderPair(data: .custom { decoder in Data(try decoder.singleValueContainer().decode(String.self).utf8) }),
        DecoderPair(floats: .convertFromString(positiveInfinity: "+∞", negativeInfinity: "-inf", nan: "")),
        DecoderPair(userInfo: UserInfo.key.map { [$0: "told"] } ?? [:]),
    ]

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { 7 }
        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { stringValue = "\(intValue)" }
    }

    private static var formatter: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy-MM-dd"
        return formatter
    }

    static let documents = [
        #"{"user_name":"u","image_url":"http://x","nested":{"one_two_three":3},"lookup":{"k_v":{"one_two_three":4}}}"#,
        #"{"userName":"u","image_url":null,"nested":{"one_two_three":"3"}}"#,
        #"{"user_name":"u","lookup":{"k_v":{"one_two_three":"4"}}}"#, #"{"user_name":"u","lookup":{"k_v":null}}"#,
        #"{"user_name":"u","lookup":null,"nested":null}"#, #"{"user_name":"u","lookup":[]}"#,
        #"{"user_name":"u","lookup":7}"#,
        #"{"user_name":"u","userName":"v","User_Name":"w"}"#, #"{"nested":{}}"#, #"{"USERNAME":"u","username":"v"}"#,
        #"{"userName":"u","nested":{"OneTwoThree":3}}"#, #"{"1id":1,"1name":"x","2oneTwoThree":1}"#,
        #"{"date":"2026-11-30T15:04:05Z"}"#, #"{"dates":["2026-11-30T15:04:05Z","2026-02-30T00:00:00Z"]}"#,
        #"{"date":"2026-11-30"}"#, #"{"date":"2026-11-30T15:04:05+01:00"}"#, #"{"date":"2026-11-30T15:04:05.123Z"}"#,
        #"{"date":"x"}"#, #"{"dates":["x"]}"#, #"{"dates":[null]}"#, #"{"date":1700000000}"#, #"{"date":1.7e12}"#,
        #"{"date":-1}"#,
        #"{"date":"t5"}"#, #"{"dates":["t5","tx"]}"#, #"{"date":true}"#, #"{"date":{}}"#,
        #"{"data":[1,2,255]}"#, #"{"data":[1,256]}"#, #"{"data":"aGk="}"#, #"{"data":7}"#,
        #"{"x":"+∞","y":"-inf"}"#, #"{"x":"-inf"}"#, #"{"x":"+\u221e"}"#, #"{"x":"inf"}"#, #"{"x":7}"#, #"["-inf",1]"#,
        #"{"id":1,"name":"x","score":"+∞","ratio":"-inf","isActive":true}"#,
        #"{"id":1,"status":"open","tags":{"A_b":1},"matrix":[["-inf"]],"maybe":[]}"#,
        #"{"legs":4,"super":{"name":"Rex"}}"#, #"{"named":{"name":"n","inner":[1,2]}}"#, #"{"parent":null}"#,
        StreamingJSONDecoderTests.flat, StreamingJSONDecoderTests.deep,
    ]

    @Test(arguments: pairs.indices) func sameAsFoundation(_ pair: Int) {
        var values = 0
        for type in StreamingJSONDecoderTests.types {
            for document in Self.documents where type.compare(Self.pairs[pair], Array(document.utf8)) { values += 1 }
        }
        #expect(values > 0)
    }

    @Test(
        arguments: [
            "", "_", "__", "a", "a_", "_a", "_a_", "a_b", "__a__b__", "one_two_three", "oneTwo_Three", "ONE_TWO",
            "a__b", "_one_TWO_",
            "é_ö", "a_éa", "a_1b", "1_2", "a_b-c", "a_b c", "a_bC", "a_ßx", "_é_", "x_y_", "a_İ", "a_\u{301}b", "a_ǆx",
        ])
    func snakeCase(_ name: String) throws {
        let pair = DecoderPair(keys: .convertFromSnakeCase)
        pair.compare(Names.self, "{\"\(name)\":1}")
        let names = try pair.ours.decode(Names.self, from: "{\"\(name)\":1}").names
        #expect(names.count == 1)
    }

    private struct Names: Decodable, Equatable {
        var names: [String]
        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        }
    }

    @Test func internetDates() {
        let pair = DecoderPair(dates: .iso8601)
        var random = SeededNumbers(seed: 21)
        for _ in 0..<1500 {
            func part(_ range: ClosedRange<Int>, _ random: inout SeededNumbers) -> String {
                let text = "\(Int.random(in: range, using: &random))"
                return text.count < 2 ? "0" + text : text
            }
            let year = Int.random(in: 1000...2600, using: &random)
            let text =
                "\(year)-\(part(0...13, &random))-\(part(0...32, &random))T\(part(0...25, &random)):\(part(0...60, &random)):"
                + "\(part(0...61, &random))Z"
            pair.compare(Date.self, "\"\(text)\"")
        }
    }
}
