import Foundation
import Testing
import WeirEvidence

@Suite struct BodyHasherTests {
    @Test func everySplitGivesTheSameDigest() {
        let body = Data((0..<257).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let whole = BodyHasher.digest(of: body)
        #expect(whole != nil)
        for size in 1..<body.count {
            var hasher = BodyHasher()
            var rest = body[...]
            while !rest.isEmpty {
                rest.prefix(size).withUnsafeBytes { hasher.update($0) }
                rest = rest.dropFirst(size)
            }
            #expect(hasher.digest() == whole, "in chunks of \(size)")
        }
    }

    @Test func differentBodiesDifferAndAnEmptyOneHasNone() {
        #expect(BodyHasher.digest(of: Data()) == nil)
        #expect(BodyHasher.digest(of: Data([0])) != BodyHasher.digest(of: Data([0, 0])))
        #expect(BodyHasher.digest(of: Data("a".utf8)) != BodyHasher.digest(of: Data("b".utf8)))
    }
}
