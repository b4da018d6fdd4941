package import Foundation

/// Makes calls that have ids of their own.
package struct PlanBuilder {
    package var random: SplitMix
    private var count = 0

    package init(seed: UInt64) { random = SplitMix(seed: seed) }

    package mutating func call(_ target: String, method: String = "GET", body: String? = nil, _ reply: Reply) -> Call {
        count += 1
        return Call(count, target, method: method, body: body, reply)
    }

    package mutating func get(_ target: String, _ delay: Double, gives body: String = #"{"ok":true}"#) -> Plan {
        .call(call(target, Reply(delay, body: body)))
    }

    /// A whole number of milliseconds.
    package mutating func ms(_ range: ClosedRange<Int>) -> Double { Double(Int.random(in: range, using: &random)) }

    /// An identifier that no other response has.
    package mutating func identifier() -> String {
        "k\(String(UInt64.random(in: 1 << 40 ..< 1 << 44, using: &random), radix: 36))"
    }

    /// JSON of about so many bytes, as compressible as API responses are.
    package mutating func json(_ bytes: Int) -> String {
        let words = [
            "harbour", "library", "available", "fiction", "branch", "shelf", "due", "renewal", "author", "title",
            "edition", "reserved", "catalogue", "members", "opening", "reading",
        ]
        var rows: [String] = []
        var size = 2
        while size < bytes {
            let row =
                #"{"id":\#(Int.random(in: 100_000...999_999, using: &random)),"title":"\#(words.randomElement(using: &random) ?? "") \#(words.randomElement(using: &random) ?? "")","status":"\#(words.randomElement(using: &random) ?? "")","score":\#(Int.random(in: 0...9999, using: &random))}"#
            rows.append(row)
            size += row.utf8.count + 1
        }
        return "[" + rows.joined(separator: ",") + "]"
    }

    /// Bytes that do not shrink.
    package mutating func noise(_ bytes: Int) -> Data {
        var data = Data(capacity: bytes + 8)
        while data.count < bytes { withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) } }
        return data.prefix(bytes)
    }
}
