import Foundation
import Testing

@testable import WeirEvidence

@Suite struct HeaderValuesTests {
    /// The short list of names must say what their words say, however they are written.
    @Test(arguments: HeaderValues.usualNames)
    func usualNamesTellNothing(name: String) {
        let titled = name.split(separator: "-").map(\.capitalized).joined(separator: "-")
        for spelling in [name, titled, name.uppercased()] {
            #expect(!HeaderValues.isTelling(spelling, HeaderValues.traits(ofName: spelling)), "\(spelling)")
            #expect(Array(spelling.utf8).withUnsafeBytes(HeaderValues.isInert))
        }
        #expect(!Array((name + "x").utf8).withUnsafeBytes(HeaderValues.isInert))
    }

    @Test(arguments: ["X-Auth-Token", "X-Next-Cursor", "X-User-Id", "Set-Cookie", "Location", "Content-Type", ""])
    func othersAreLookedAt(name: String) {
        #expect(!Array(name.utf8).withUnsafeBytes(HeaderValues.isInert))
    }
}
