import Foundation
import Testing
import WeirStreams

/// What is not a matter of comparison.
@Suite struct StreamingJSONDecoderUseTests {
    private struct Keeper: Decodable {
        var decoder: any Decoder
        init(from decoder: any Decoder) { self.decoder = decoder }
    }

    /// Short strings are made in place of the standard library: nothing may tell them from its own.
    @Test func shortStringsAreAsAnyOther() throws {
        let decoder = StreamingJSONDecoder()
        for length in 0...33 {
            for last in ["", "\u{7F}", "\u{E9}", "\u{1F600}"] {
                let bytes = (0..<length).map { UInt8(0x61 + $0 % 26) }
                let expected = String(decoding: bytes, as: UTF8.self) + last
                let found = try decoder.decode([String: [String]].self, from: "{\"k\":[\"\(expected)\",\"behind\"]}")
                let string = try #require(found["k"]?.first)
                #expect(string == expected)
                #expect(string.hashValue == expected.hashValue)
                #expect(Array(string.utf8) == Array(expected.utf8))
                #expect(string.count == expected.count)
                #expect(string + "!" == expected + "!")
                #expect(string < expected + "a")
                #expect(Array(string.utf16) == Array(expected.utf16))
                #expect(found == ["k": [expected, "behind"]])
            }
        }
    }

    @Test func decoderOutlivesItsCall() throws {
        let decoder = StreamingJSONDecoder()
        let kept = try decoder.decode(Keeper.self, from: "[\"a long string that is not small\",2]").decoder
        for _ in 0..<3 { _ = try decoder.decode([Int].self, from: "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]") }
        var container = try kept.unkeyedContainer()
        #expect(try container.decode(String.self) == "a long string that is not small")
        #expect(try container.decode(Int.self) == 2)
    }

    private final class ContainerKeeper: Decodable {
        let container: KeyedDecodingContainer<Repeated.Key>
        let others: [ContainerKeeper]

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Repeated.Key.self)
            let list = Repeated.Key(stringValue: "list")
            others = try container.decodeIfPresent([ContainerKeeper].self, forKey: list) ?? []
        }

        func id() throws -> Int { try container.decode(Int.self, forKey: Repeated.Key(stringValue: "id")) }
    }

    /// Containers are used again, but only those that nobody has.
    @Test func containersThatAreKeptStayWhatTheyAre() throws {
        let decoder = StreamingJSONDecoder()
        var kept: [ContainerKeeper] = []
        for round in 0..<20 {
            let text = "{\"id\":\(round),\"list\":[{\"id\":\(round + 100)},{\"id\":\(round + 200),\"list\":[]}]}"
            let keeper = try decoder.decode(ContainerKeeper.self, from: text)
            if round % 3 == 0 { kept.append(keeper) }
            #expect(try keeper.id() == round)
        }
        for (place, keeper) in kept.enumerated() {
            #expect(try keeper.id() == place * 3)
            #expect(try keeper.others.map { try $0.id() } == [place * 3 + 100, place * 3 + 200])
            #expect(keeper.others[1].container.codingPath.map(\.stringValue) == ["list", "Index 1"])
        }
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
        #expect(
            "\(reason("{\"a\":1 2}").map(String.init(describing:)) ?? "")"
                == "At byte 7 stands '2', which is not expected there.")
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
        for try await record in stream().streamed.jsonLines(as: Record.self, decoder: JSONDecoder()) {
            theirs.append(record.id)
        }
        #expect(ours == [1, 2])
        #expect(theirs == ours)
    }
}
