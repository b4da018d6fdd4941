import Foundation
import Testing
import WeirModel
import WeirTestSupport

@Suite struct SecretScannerTests {
    private static let letters = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6kL8nP"
    private static let token =
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0NzExIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    private func redacted(_ text: String) -> String { Redactor().redact(text: text) }

    @Test(
        arguments: [
            "AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE", "AIza" + letters.prefix(35), "ghp_" + letters.prefix(36),
            "gho_" + letters.prefix(36), "ghs_" + letters.prefix(36), "ghu_" + letters.prefix(36),
            "github_pat_" + letters.prefix(24) + "_" + letters, "glpat-" + letters.prefix(20),
            "xoxb-12345678901-" + letters,
            "xoxp-12345678901-" + letters, "sk_live_" + letters.prefix(24), "rk_live_" + letters.prefix(24),
            "sk-ant-" + letters, "ya29." + letters, "npm_" + letters.prefix(36), token, "Bearer abc.DEF-123_456",
            "bearer%20abc.DEF-123_456", "Basic YW5uOnNlY3JldA==", "ann@example.com", "ann%40example.com",
            "ann.o'hara+x@mail.example.co", "4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111",
            "5555555555554444", "378282246310005", "6011111111111117", "3530111333300000", "490154203237518",
            "DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "078-05-1120", "192.0.2.17",
            "2001:db8::8a2e:370:7334",
            "fe80::1", "00:1b:63:84:45:e6", "0b5f9e1a-4a1c-4d5e-9b1e-0f1e2d3c4b5a",
            "ssh-rsa AAAA" + letters + letters + letters,
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "password=hunter2",
            "pwd: hunter2",
            "\"client_secret\": \"hunter2\"", "old_password1%3Dhunter2", "api-key%3A%22hunter2%22",
            "X-Amz-Signature=hunter2",
            "sig=hunter2", "access_token=hunter2&x=1", "/home/ann/x", "/Users/ann/x", "C:\\Users\\ann\\x",
            "token:a1b2c3d4e5f6g",
        ] as [String])
    func shapesAreFoundWhereverTheyStand(secret: String) {
        for (before, after) in [("", ""), ("at ", " end"), ("(", ")"), ("\"", "\""), ("\u{e4} ", "\n")] {
            let text = redacted(before + secret + after)
            let hidden = [
                "hunter2", "ann", "0b5f9e1a", "MIIE", Self.letters, "1111", "4444", "005", "abc.DEF", "a1b2c3d4",
            ]
            for part in hidden where secret.contains(part) { #expect(!text.contains(part), "\(text)") }
            #expect(text != before + secret + after)
            if !before.isEmpty { #expect(text.hasPrefix(before)) }
            if !after.isEmpty, !["/x", "\\x"].contains(where: secret.hasSuffix) {
                #expect(text.hasSuffix(after), "\(text)")
            }
        }
    }

    @Test(arguments: [
        "The network connection was lost.", "4111111111111112", "2026-11-30T10:00:00Z", "Mon, 30 Nov 2026 10:00:00 GMT",
        "version 1.2.3", "1.2.3.4.5", "bytes 0-1023/4096", "max-age=31536000, immutable", "text/html; charset=utf-8",
        "gzip, br;q=0.9", "The basic tests ran", "token expired", "12:30:05", "a@b", "@ann", "x = 1", "state machine",
        "*/*", "and/or", "10 / 2", "Error -1001 after 30 s", "ey.ey.ey", "AKIA", "h3=\":443\"; ma=86400",
        "timeout=5, max=100", "no keys here", "",
    ])
    func otherTextStays(text: String) {
        #expect(redacted(text) == text)
    }

    @Test func whatSurroundsASecretStays() {
        #expect(
            redacted("login of ann@example.com with Bearer \(Self.token) failed from 10.1.2.3: code=4711.")
                == "login of [email] with Bearer [credentials] failed from [address]: code=[secret]")
        #expect(redacted("card 4111 1111 1111 1111, order 12") == "card [card], order 12")
        #expect(redacted("order 12 4111 1111 1111 1111") == "order 12 [card]")
        // Where a token stands, one without digits is one; in other text it is a word.
        #expect(redacted("Authorization: Token abcdefgh") == "Authorization: Token [credentials]")
        #expect(redacted("proxy-authorization: Basic YWJj, next") == "proxy-authorization: Basic [credentials], next")
        #expect(redacted("x-api-key: abcdefgh") == "x-api-key: [secret]")
        #expect(redacted("the token expired, a digest follows") == "the token expired, a digest follows")
        #expect(redacted("GET /users/4711?q=ann failed") == "GET /users/~1?q=~2 failed")
    }

    /// The names and shapes that other systems redact by default.
    @Test(.enabled(if: Vectors.redaction != nil, "\(Vectors.missing)"))
    func theListsOfOtherSystemsAreCovered() throws {
        let lists = try #require(Vectors.redaction)
        let queryKeys = lists.otel + lists.cloudflare
        #expect(queryKeys.count > 20)
        for key in queryKeys {
            let url = Redactor().redact(RequestURL("https://h.example/a?\(key)=hunter2&b=hunter2"))
            #expect(!url.absoluteString.contains("hunter2"))
        }
        for key in lists.otel + ["token", "password", "client_secret", "SAMLResponse", "authenticity_token"] {
            #expect(!redacted("\(key)=hunter2").contains("hunter2"), "\(key)")
        }
        for name in lists.headers {
            let fields = [HeaderField(name: name, value: "hunter2")]
            #expect(Redactor().redact(fields, of: .request).isEmpty)
            #expect(Redactor().redact(fields, of: .response).isEmpty)
        }
        for number in lists.validCards { #expect(redacted(number) == "[card]") }
        for number in lists.invalidCards { #expect(redacted(number) == number) }
        for (path, isKept) in lists.paths {
            let kept = Redactor().redact(RequestURL("http://h\(path)")).path
            if isKept { #expect(kept == path, "\(path)") } else { #expect(kept != path, "\(path)") }
        }
    }

    /// Each text would be looked at again and again by a scanner that goes back to where it began.
    @Test(arguments: [
        "eyJ-", "eyJ.", "a@", "@a.", "-----BEGIN ", "1 ", "4111 1111 ", "://", "http://", "=/a", "Bearer ", "token ",
        "password=", "::", "a:", "ghp_", "AKIA-", "%40", "%3D", "\\Users\\", "/home/", "ssh-rsa A", "DE89 ", "\"k\":",
        "0b5f9e1a-", "1.", "<", "'",
    ])
    func hostileTextTakesLinearTime(unit: String) {
        expectLinearTime(of: 2_500, and: 20_000) { count in
            let text = String(repeating: unit, count: count / unit.utf8.count)
            return processorTime { #expect(!redacted(text).isEmpty) }
        }
    }
}
