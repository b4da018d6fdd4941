import Foundation
import Testing
import WeirStreams

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
                    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no date"))
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
        #"{"user_name":"u","lookup":null,"nested":null}"#, #"{"user_name":"u","lookup":[]}"#, #"{"user_name":"u","lookup":7}"#,
        #"{"user_name":"u","userName":"v","User_Name":"w"}"#, #"{"nested":{}}"#, #"{"USERNAME":"u","username":"v"}"#,
        #"{"userName":"u","nested":{"OneTwoThree":3}}"#, #"{"1id":1,"1name":"x","2oneTwoThree":1}"#,
        #"{"date":"2026-11-30T15:04:05Z"}"#, #"{"dates":["2026-11-30T15:04:05Z","2026-02-30T00:00:00Z"]}"#,
        #"{"date":"2026-11-30"}"#, #"{"date":"2026-11-30T15:04:05+01:00"}"#, #"{"date":"2026-11-30T15:04:05.123Z"}"#,
        #"{"date":"x"}"#, #"{"dates":["x"]}"#, #"{"dates":[null]}"#, #"{"date":1700000000}"#, #"{"date":1.7e12}"#, #"{"date":-1}"#,
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
            "", "_", "__", "a", "a_", "_a", "_a_", "a_b", "__a__b__", "one_two_three", "oneTwo_Three", "ONE_TWO", "a__b", "_one_TWO_",
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
        var random = Seeded(seed: 21)
        for _ in 0..<1500 {
            func part(_ range: ClosedRange<Int>, _ random: inout Seeded) -> String {
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

/// What is not a matter of comparison.
@Suite struct StreamingJSONDecoderUseTests {
    private struct Keeper: Decodable {
        var decoder: any Decoder
        init(from decoder: any Decoder) { self.decoder = decoder }
    }

    @Test func decoderOutlivesItsCall() throws {
        let decoder = StreamingJSONDecoder()
        let kept = try decoder.decode(Keeper.self, from: "[\"a long string that is not small\",2]").decoder
        for _ in 0..<3 { _ = try decoder.decode([Int].self, from: "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]") }
        var container = try kept.unkeyedContainer()
        #expect(try container.decode(String.self) == "a long string that is not small")
        #expect(try container.decode(Int.self) == 2)
    }

    @Test func syntaxErrorHasThePlace() {
        func reason(_ text: String) -> StreamingJSONDecoder.SyntaxError? {
            do {
                _ = try StreamingJSONDecoder().decode(AnyJSON.self, from: text)
            } catch DecodingError.dataCorrupted(let context) {
                return context.underlyingError as? StreamingJSONDecoder.SyntaxError
            } catch {}
            return nil
        }
        #expect(reason("[1,x]")?.reason == .unexpectedByte(0x78))
        #expect(reason("[1,x]")?.offset == 3)
        #expect(reason("[1,")?.reason == .unexpectedEnd)
        #expect(reason("[tru]")?.offset == 4)
        #expect("\(reason("{\"a\":1 2}").map(String.init(describing:)) ?? "")" == "At byte 7 stands '2', which is not expected there.")
        let deep = String(repeating: "[", count: 600)
        #expect(reason(deep)?.reason == .tooDeep(limit: 512))
        #expect(reason(deep)?.offset == 512)
    }

    @Test func keysOfTypesAreInErrors() throws {
        do {
            _ = try StreamingJSONDecoder().decode(Numbered.self, from: #"{"one":1,"two":{"x":[1,"a"]}}"#)
            Issue.record("decoded")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.intValue) == [2, 7, 1])
            #expect(context.codingPath.first is Numbered.CodingKeys)
        }
    }

    @Test func oneDecoderServesManyTasks() async throws {
        let decoder = StreamingJSONDecoder()
        let sums = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var sum = 0
                    for round in 0..<500 {
                        let text = "{\"values\":[\(task),\(round),\"\(String(repeating: "x", count: round % 40))\"]}"
                        let value = try decoder.decode([String: [AnyJSON]].self, from: text)
                        if case .number(let number)? = value["values"]?[1] { sum += Int(number) }
                    }
                    return sum
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == [Int](repeating: 499 * 500 / 2, count: 8))
    }

    @Test func nestedCallsHaveTheirOwnText() throws {
        struct Outer: Decodable {
            var inner: [Int]
            var after: Int
            enum Keys: String, CodingKey { case text, after }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                let ours = decoder.userInfo.values.first as? StreamingJSONDecoder ?? StreamingJSONDecoder()
                inner = try ours.decode([Int].self, from: container.decode(String.self, forKey: .text))
                after = try container.decode(Int.self, forKey: .after)
            }
        }
        var decoder = StreamingJSONDecoder()
        if let key = UserInfo.key { decoder.userInfo = [key: decoder] }
        let outer = try decoder.decode(Outer.self, from: #"{"text":"[1,2,3]","after":4}"#)
        #expect(outer.inner == [1, 2, 3])
        #expect(outer.after == 4)
    }

    @Test func streamsDecodeWithEither() async throws {
        let text = "{\"id\":1}\n{\"id\":2}\n"
        struct Record: Decodable, Equatable { var id: Int }
        func stream() -> AsyncStream<[UInt8]> {
            AsyncStream { continuation in
                continuation.yield(Array(text.utf8))
                continuation.finish()
            }
        }
        var ours: [Int] = []
        for try await record in stream().streamed.jsonLines(as: Record.self) { ours.append(record.id) }
        var theirs: [Int] = []
        for try await record in stream().streamed.jsonLines(as: Record.self, decoder: JSONDecoder()) { theirs.append(record.id) }
        #expect(ours == [1, 2])
        #expect(theirs == ours)
    }
}
