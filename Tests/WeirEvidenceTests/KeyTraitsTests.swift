import Testing

@testable import WeirEvidence

@Suite struct KeyTraitsTests {
    private func words(_ key: String) -> [String] {
        Array(key.utf8).withUnsafeBytes { KeyTraits.words($0).map { String(decoding: $0, as: UTF8.self) } }
    }

    private func traits(_ key: String) -> KeyTraits { KeyTraits(key.utf8) }

    @Test(arguments: [
        ("bookID", ["book", "id"]), ("book_ids", ["book", "id"]), ("BookId", ["book", "id"]),
        ("userIDs", ["user", "id"]),
        ("URLPath", ["url", "path"]), ("next-page-token", ["next", "page", "token"]), ("categories", ["category"]),
        ("branches", ["branch"]), ("addresses", ["address"]), ("status", ["status"]), ("address", ["address"]),
        ("houses", ["house"]), ("boxes", ["box"]), ("@odata.nextLink", ["odata", "next", "link"]), ("", []), ("__", []),
    ])
    func readsNamesAsWords(_ key: String, _ expected: [String]) { #expect(words(key) == expected) }

    @Test(arguments: [
        ("bookID", "books"), ("user_id", "users"), ("categoryId", "categories"), ("authorUserId", "users"),
        ("branch", "branches"),
    ])
    func agreesOnTheThing(_ a: String, _ b: String) {
        #expect(traits(a).noun == traits(b).noun)
        #expect(traits(a).noun != 0)
    }

    @Test(arguments: ["id", "items", "data", "uuid", "next_cursor", "url", "v1"])
    func namesNoThing(_ key: String) { #expect(traits(key).noun == 0) }

    @Test(arguments: [
        "cursor", "next", "nextCursor", "next_page_token", "pageToken", "starting_after", "endCursor", "scroll_id",
    ])
    func isCursor(_ key: String) { #expect(traits(key).flags.contains(.isCursor)) }

    @Test(arguments: ["page", "offset", "limit", "$skip", "per_page", "pageNumber", "size"])
    func isOffset(_ key: String) {
        #expect(traits(key).flags.contains(.isOffset))
        #expect(!traits(key).flags.contains(.isCursor))
    }

    @Test func marksWhatIdentifies() {
        #expect(traits("bookID").flags.contains(.identifies))
        #expect(traits("login").flags.contains(.identifiesByWord))
        #expect(!traits("title").flags.contains(.identifies))
        #expect(!traits("countryCode").flags.contains(.identifiesByWord))
        #expect(traits("access_token").flags.contains(.isCredential))
        #expect(traits("avatarUrl").flags.contains(.refers))
    }
}
