import Foundation
import Testing
import WeirStreams
import WeirTestSupport

/// Every type with every document, good and bad, against Foundation's decoder.
@Suite struct StreamingJSONDecoderTests {
    static let types: [Specimen] = [
        Specimen(Flat.self), Specimen(Deep.self), Specimen(Widths.self), Specimen(Shape.self), Specimen(Numbered.self),
        Specimen(Dog.self), Specimen(Orphan.self), Specimen(AnyJSON.self), Specimen(ByHand.self), Specimen(Lossy.self),
        Specimen(Special.self), Specimen(Repeated.self), Specimen(SnakeCased.self), Specimen(UserInfo.self),
        Specimen(Int.self), Specimen(Int8.self), Specimen(UInt64.self), Specimen(Double.self), Specimen(Float.self),
        Specimen(String.self), Specimen(Bool.self), Specimen(Date.self), Specimen(Data.self), Specimen(URL.self),
        Specimen(Decimal.self), Specimen([Int].self), Specimen([String?].self), Specimen(unordered: [String: Int].self),
        Specimen(unordered: [Int: String].self), Specimen(unordered: [String: [Bool?]].self), Specimen(Int?.self),
        Specimen(Set<String>.self),
        Specimen([[Flat]].self), Specimen([Shape].self), Specimen(Int128.self), Specimen(UInt128.self),
    ]

    static let flat = #"{"id":7,"name":"Ann","score":1.5,"ratio":0.25,"isActive":true,"note":null,"count":3}"#
    static let deep =
        #"{"id":1,"author":{"name":"é😀","emails":["a@b","c\n\u00e9\ud83d\ude00"]},"status":"open","tags":{"x":1,"y":2},"#
        + #""children":[{"id":2,"status":"closed","tags":{},"matrix":[],"maybe":[]}],"matrix":[[1,2.5],[],[-0.0]],"maybe":[1,null,3]}"#

    static let documents: [String] =
        [
            flat, deep, #"{ "id" : 7 , "name":"Ann","score":1e2,"ratio":-1E-2,"isActive":false }"#,
            #"{"id":7.0,"name":"","score":3,"ratio":16777217,"isActive":true}"#,
            #"{"name":"Ann","score":1.5,"ratio":0.25,"isActive":true}"#, #"{"id":null,"name":"x"}"#,
            #"{"id":"7","name":"x"}"#, #"{"id":7,"name":8}"#, #"{"id":7,"name":"x","score":"NaN"}"#,
            #"{"id":7,"name":"x","score":1,"ratio":1,"isActive":1}"#,
            #"{"id":7,"name":"x","score":1,"ratio":1,"isActive":null}"#,
            #"{"id":7,"name":"x","score":1,"ratio":1,"isActive":true,"count":256}"#,
            #"{"id":1,"id":2,"name":"a","name":"b","score":1,"ratio":2,"isActive":true}"#,
            #"{"i\u0064":7,"name":"Ann","score":1.5,"ratio":0.25,"isActive":true}"#,
            #"{"id":1,"status":"other","tags":{},"matrix":[],"maybe":[]}"#,
            #"{"id":1,"status":"open","tags":{"a":"b"},"matrix":[],"maybe":[]}"#,
            #"{"id":1,"status":"open","tags":{},"matrix":[[1],[2,"x"]],"maybe":[]}"#,
            #"{"id":1,"author":{"name":"n","emails":[1]},"status":"open","tags":{},"matrix":[],"maybe":[]}"#,
            #"{"id":1,"author":{"name":"n"},"status":"open","tags":{},"matrix":[],"maybe":[]}"#,
            #"{"id":1,"author":[],"status":"open"}"#, #"{"id":1,"author":"a","status":"open"}"#,
            #"{"id":1,"status":"open","tags":{},"matrix":{},"maybe":[]}"#,
            #"{"id":1,"status":"open","tags":{},"children":[{"id":2}],"matrix":[],"maybe":[]}"#,
            #"{"point":{}}"#, #"{"circle":{"radius":2}}"#, #"{"box":{"_0":1,"_1":2}}"#, #"{"box":{"_0":1}}"#,
            #"{"named":{"name":"n","inner":[1,2]}}"#, #"{"circle":{},"point":{}}"#, #"{"square":{}}"#, #"{}"#, #"[]"#,
            #"[{"point":{}},{"circle":{"radius":"x"}}]"#, #"{"1":1,"2":{"7":[1,2]}}"#, #"{"1":1,"2":{"7":[1,"x"]}}"#,
            #"{"one":1,"two":{"x":[1,2]}}"#, #"{"one":1,"two":{"x":[1,"a"]}}"#, #"{"one":1,"two":{}}"#,
            #"{"legs":4,"base":{"name":"Rex"}}"#, #"{"legs":4,"super":{"name":"Rex"}}"#, #"{"legs":4}"#,
            #"{"legs":4,"base":null}"#, #"{"legs":4,"base":{"name":7}}"#, #"{"parent":"p"}"#, #"{"parent":"keyed"}"#,
            #"{"parent":7}"#, #"{"parent":null}"#,
            #"{"list":[1,"a",[1,2]],"inner":{"deep":1,"list":2},"flag":null}"#,
            #"{"list":[1,null,[1,2],null,{},5],"inner":{},"flag":0}"#, #"{"list":[1],"inner":{},"flag":0}"#,
            #"{"list":[1,"a",[1,"x"]],"inner":{},"flag":0}"#, #"{"list":[1,"a",7],"inner":{},"flag":0}"#,
            #"{"list":[1,"a",null],"inner":{},"flag":0}"#, #"{"list":[1,"a",[],null],"inner":{},"flag":0}"#,
            #"{"list":[1,"a",[],7],"inner":{},"flag":0}"#, #"{"list":[1,"a",[]],"inner":[]}"#,
            #"{"list":[1,"a",[]],"inner":null}"#, #"{"list":[1,"a",[]],"inner":{}}"#, #"{"list":{}}"#,
            #"{"list":null}"#,
            #"[1,"x",2,null,3.5,4,{}]"#, #"[1,2,3]"#, #"["a","b",null]"#, #"["a","b","a"]"#, #"[true]"#,
            #"{"date":1.5,"dates":[0,-1],"data":"aGk=","url":"http://a/b?c#d","decimal":1.10,"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","range":[1,2]}"#,
            #"{"date":"x"}"#, #"{"dates":[0,"x"]}"#, #"{"data":"***"}"#, #"{"data":7}"#, #"{"data":"aGk"}"#,
            #"{"url":""}"#,
            #"{"data":"aGk\u003d"}"#, #"{"url":"http://[bad"}"#, #"{"url":7}"#, #"{"url":"http://é/ x"}"#,
            #"{"decimal":"1"}"#,
            #"{"decimal":true}"#, #"{"id":"x"}"#, #"{"id":5}"#, #"{"range":[2,1]}"#, #"{"range":[1]}"#,
            #"{"a":"1","b":"2"}"#, #"{"b":"2","a":"1","b":"3","K":"k"}"#, #"{"e\u0301":"x","":"y"}"#, #"{"é":"x"}"#,
            #"{"\u0061":"escaped","b":null}"#, #"{"a\ud800":"x"}"#, #"{"x":"a\ud800"}"#, #"{"a":"\ud83d\u0041"}"#,
            "{\"a\":\"tab\there\"}", "{\"a\tb\":1}", #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#, #"{"a":"\u12"}"#,
            #"{"a":"\u1"#,
            #"{"user_name":"u","image_url":"http://x","nested":{"one_two_three":3},"lookup":{"k_v":{"one_two_three":4}}}"#,
            #"{"userName":"u","lookup":{}}"#, #"{"userName":"u","nested":{"oneTwoThree":"x"}}"#,
            #""aGk=""#, "", " ", "\n", "x", "nul", "nulx", "null", "true", "tru", "trux", "false", "fals", "falsx",
            "\"", "\"\\", "\"a",
            "{", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,,2]", "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}",
            "{\"a\",1}",
            "{\"a\" 1}", "{1:2}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "[1}", "]", "}", "1 2", "{} x", "[] []",
            "\u{FEFF}[1]", " [1] ",
            "[1]\n", "'a'", "{'a':1}", "[1]//c", "NaN", "Infinity", "-Infinity", "+1", ".5", "\"\u{7F}\u{80}\u{2028}\"",
            #""\u0000""#, #""\/\b\f\n\r\t\"\\""#, #""caf\u00e9 \uD834\uDD1E""#, "\"\0\"", "[\"a\0b\"]", "\0", "[1]\0",
        ] + numbers + numbers.map { "[\($0)]" } + numbers.map { "{\"i\":\($0),\"k\":\($0),\"x\":\($0)}" }

    static let numbers = [
        "0", "-0", "-0.0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "65535", "2147483648", "4294967296",
        "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993.0", "9007199254740993.5",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "9223372036854775807.0", "-9223372036854775808.0", "18446744073709551615", "18446744073709551616",
        "18446744073709551615.0", "1.8446744073709551615e19", "170141183460469231731687303715884105727",
        "170141183460469231731687303715884105728", "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456", "1e2", "1E+2", "1.5e1", "15e-1", "150e-1", "1e18", "1e19", "1e20",
        "12e0",
        "1.0000000000000001", "0.1", "0.2", "0.30000000000000004", "3.141592653589793", "123456789012345678", "1e22",
        "1e23",
        "8.5e22", "1e-22", "1e-23", "5e-324", "2e-324", "1e-400", "0e-400", "0.0e400", "1.7976931348623157e308",
        "1.7976931348623159e308", "1e309", "-1e309", "2.2250738585072011e-308", "3.4028235e38", "3.4028236e38", "1e39",
        "1.401298464e-45", "1e-46", "16777216", "16777217", "16777217.5", "0.1000000014901161193847656",
        "7205759403792793199999e-5", "123456789012345678901234567890", "0.000000000000000000000000000001",
        "100000000000000000000000000000000000000000", "1e128", "1e165", "1e-128", "1e-130",
        "12345678901234567890.123456789",
        "00", "01", "-01", "-", "--1", "1-", "1.", "1.e1", "-.5", "1e", "1e+", "1e1.5", "1e1e1", "1.2.3", "1..2", "1+1",
        "0x10",
        "0.0", "0.", "-00", "1e-", "1E5", "1e05", "1e00", "0e0", "0e", "-e1", "-a", "1a", "1_000", "1,5",
    ]

    @Test(arguments: types.indices) func sameAsFoundation(_ type: Int) {
        var values = 0
        for document in Self.documents where Self.types[type].compare(DecoderPair(), Array(document.utf8)) {
            values += 1
        }
        #expect(values > 0)
    }

    @Test(arguments: types.indices) func invalidUTF8(_ type: Int) {
        let texts: [[UInt8]] = [
            [0x22, 0xC3, 0x28, 0x22], [0x22, 0xFF, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xC3, 0xA9, 0x22], [0x22, 0xC3, 0x5C, 0x6E, 0x22], [0xFF], [0xC3, 0xA9],
        ]
        for text in texts {
            _ = Self.types[type].compare(DecoderPair(), text)
            _ = Self.types[type].compare(DecoderPair(), [0x5B] + text + [0x5D])
            _ = Self.types[type].compare(DecoderPair(), Array("{\"a\":".utf8) + text + [0x7D])
            _ = Self.types[type].compare(DecoderPair(), [0x7B] + text + Array(":1}".utf8))
            _ = Self.types[type].compare(DecoderPair(), Array("{\"id\":1,\"name\":".utf8) + text + [0x7D])
        }
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .utf8])
    func otherEncodings(_ encoding: String.Encoding) {
        let marks: [String] = ["", "\u{FEFF}"]
        for mark in marks {
            for text in ["{\"a\":\"é😀\"}", "[1]", "7", "[]", "\"é\"", "{\"id\":12}"] {
                let bytes = Array((mark + text).data(using: encoding) ?? Data())
                DecoderPair().compare(AnyJSON.self, bytes)
                DecoderPair().compare(AnyJSON.self, bytes.dropLast())
            }
        }
        for bytes in [[0], [0, 0], [0xFE], [0xFE, 0xFF], [0xEF, 0xBB], [0xFF, 0xFE, 0, 0x31], [0x31, 0]] as [[UInt8]] {
            DecoderPair().compare(AnyJSON.self, bytes)
        }
    }

    @Test func depthIsLimited() {
        for depth in [511, 512, 513, 100_000] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
                // What is deep is not decoded, which takes a thread's whole stack.
                DecoderPair().compare(UserInfo.self, text)
                DecoderPair().compare(Flat.self, text)
                // Foundation's traps when the text ends with the bracket that is too deep.
                DecoderPair().compare(UserInfo.self, String(repeating: open, count: depth) + " ")
                let cut = String(repeating: open, count: depth)
                #expect(throws: DecodingError.self) { _ = try StreamingJSONDecoder().decode(UserInfo.self, from: cut) }
            }
        }
    }

    @Test func manyKeysAreFoundInAnyOrder() {
        for count in [1, 31, 63, 64, 65, 66, 200, 2000] {
            let pairs = (0..<count).map { "\"key\($0)\":\($0)" }
            DecoderPair().compare([String: Int].self, "{" + pairs.joined(separator: ",") + "}")
            DecoderPair().compare([String: Int].self, "{" + pairs.reversed().joined(separator: ",") + "}")
            let twice = pairs + ["\"key0\":-1", "\"key\(count - 1)\":-2", "\"k\\u0065y0\":-3"]
            DecoderPair().compare([String: Int].self, "{" + twice.joined(separator: ",") + "}")
        }
    }

    @Test func longStringsAndKeysAreWhole() {
        for count in 0...130 {
            for filler in ["a", "é", "\\n", "\\\\", "\\\""] {
                let string = String(repeating: "x", count: count) + filler + String(repeating: "y", count: count / 3)
                DecoderPair().compare(AnyJSON.self, "{\"\(string)\":\"\(string)\",\"z\":[\"\(string)\"]}")
                DecoderPair().compare(AnyJSON.self, "[\"\(string)")
                DecoderPair().compare(AnyJSON.self, "[\"\(string)\\")
            }
        }
    }

    @Test func randomDocumentsWithDamage() {
        var random = SeededNumbers(seed: 11)
        for _ in 0..<3000 {
            var bytes = Array(random.json(depth: 4).utf8)
            DecoderPair().compare(AnyJSON.self, bytes)
            for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
            DecoderPair().compare(AnyJSON.self, bytes)
        }
    }

    @Test func damagedDocumentsOfEachType() {
        var random = SeededNumbers(seed: 12)
        for _ in 0..<2500 {
            let document = Self.documents[Int.random(in: 0..<Self.documents.count, using: &random)]
            var bytes = Array(document.utf8)
            for _ in 0..<Int.random(in: 1...2, using: &random) { random.damage(&bytes) }
            let type = Int.random(in: 0..<Self.types.count, using: &random)
            _ = Self.types[type].compare(DecoderPair(), bytes)
        }
    }

    /// Zero times a power of ten is zero, though Foundation's looks at the power's digits too when it is short.
    @Test(arguments: ["0e5", "0E12", "-0.0e7", "0.00e+1"]) func zeroWithAnExponent(_ text: String) throws {
        #expect(try StreamingJSONDecoder().decode(Double.self, from: text) == 0)
        #expect(try StreamingJSONDecoder().decode([Int].self, from: "[\(text)]") == [0])
    }

    @Test func randomNumbers() {
        var random = SeededNumbers(seed: 13)
        for _ in 0..<4000 {
            let text = random.jsonNumber()
            DecoderPair().compare(Double.self, text)
            DecoderPair().compare(Float.self, text)
            DecoderPair().compare(Int.self, text)
            DecoderPair().compare(UInt8.self, text)
        }
        for _ in 0..<4000 {
            let double = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
            if double.isFinite { DecoderPair().compare(Double.self, "\(double)") }
            let float = Float(bitPattern: UInt32.random(in: 0 ... .max, using: &random))
            if float.isFinite { DecoderPair().compare(Float.self, "\(float)") }
        }
    }
}
