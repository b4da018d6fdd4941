import Testing
import WeirModel
import WeirTestSupport

@Suite struct NameTableTests {
    private static let names = ["te", "etag", "date", "range", "expect", "accept", "x-1", "content-type", "a", "d-t-"]
    private static let table = NameTable(names)

    private func number(_ text: String) -> Int? { Array(text.utf8).withUnsafeBytes { Self.table.number(of: $0) } }

    @Test func namesInEveryCase() {
        for (index, name) in Self.names.enumerated() {
            #expect(number(name) == index)
            #expect(number(name.uppercased()) == index)
            #expect(number(name + "x") == nil)
            #expect(number(String(name.dropLast())) == Self.names.firstIndex(of: String(name.dropLast())))
        }
        #expect(number("") == nil)
        #expect(number(String(repeating: "a", count: 1000)) == nil)
        #expect(NameTable([]).number(of: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }

    /// The bit that tells small letters from capitals tells other characters apart too: `-` is no carriage return.
    @Test func otherBytesAreNotTakenForLetters() {
        #expect(number("x\u{D}1") == nil)
        #expect(number("x-\u{11}") == nil)
        #expect(number("d-t\u{D}") == nil)
        #expect(number("\u{0}ate") == nil)
        #expect(number("@") == nil)
    }

    @Test(arguments: 0..<4)
    func sameAsComparing(seed: UInt64) {
        var generator = SeededNumbers(seed: seed)
        for _ in 0..<2_000 {
            var bytes = Array(Self.names[Int.random(in: 0..<Self.names.count, using: &generator)].utf8)
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] ^= [0, 0x20, 0x40, 0x80, 1, 0xFF][Int.random(in: 0..<6, using: &generator)]
            let found = bytes.withUnsafeBytes { Self.table.number(of: $0) }
            #expect(found == Self.names.firstIndex { $0.utf8.elementsEqual(bytes, by: asciiCaseInsensitiveEqual) })
        }
    }
}
