import Testing

@testable import WeirEvidence

@Suite struct ValueStrengthTests {
    private func strength(_ text: String) -> ValueStrength { Array(text.utf8).withUnsafeBytes { ValueStrength($0) } }

    @Test(arguments: [
        "", "0", "00", "true.", "1000", "2026", "1999", "1080", "10000", "250000", "20261130", "2026-12-10",
        "30.11.2026",
        "2026-11-30T00:00:00Z", "09:00", "12:30:00", "12.99", "4.5", "1.2.3", "10.0.0.1", "12,345", "-5", "50%",
        "utf-8",
        "application/json", "image/png", "1920x1080", "00000000-0000-0000-0000-000000000000",
        "data:image/png;base64,iVBORw0KGgo",
        "HTTP/1.1", "\n\n\n",
    ])
    func tellsNothing(_ text: String) { #expect(strength(text) == .none || text == "true." && strength(text) <= .word) }

    @Test(arguments: ["7", "42", "999", "en", "DE", "A1"])
    func isTiny(_ text: String) { #expect(strength(text) == .tiny) }

    @Test(arguments: [
        "active", "in-progress", "EUR", "available", "Europe/London", "alice", "Harbour library", "NOT_STARTED",
        "step1", "thisIsAVeryLongCamelCase", "caf\u{E9}",
        "https://example.org/",
    ])
    func isWord(_ text: String) { #expect(strength(text) == .word) }

    @Test(arguments: [
        "8841", "10432", "123456", "b-2041", "u-1043", "tt0111", "2026-11-30T09:04:18Z", "1764493458", "left-hand-dark",
        "51.507", "00123",
    ])
    func isLow(_ text: String) { #expect(strength(text) == .low) }

    @Test(arguments: [
        "8841770", "tt0111161", "the-left-hand-of-darkness", "51.50735", "/users/8841", "user_8841770", "order-2041-7",
    ])
    func isMedium(_ text: String) { #expect(strength(text) == .medium) }

    @Test(arguments: [
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "d41d8cd98f00b204e9800998ecf8427e",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        "https://api.example.org/items?cursor=abc", "edith@example.org", "76561198000000001", "dGhpcyBpcyBhIGN1cnNvcg",
        "AbCdEfGhIjKlMnOpQrStUvWx",
    ])
    func isHigh(_ text: String) { #expect(strength(text) == .high) }

    @Test func longTextsAreProse() {
        #expect(strength(String(repeating: "A long story. ", count: 100)) == .none)
        #expect(strength(String(repeating: "7", count: 5_000)) == .high)
        #expect(strength(String(repeating: "0", count: 5_000)) == .none)
    }
}
