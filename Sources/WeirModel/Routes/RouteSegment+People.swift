// A name of a person is a word like any other: only what stands before it tells.

extension RouteSegment {
    /// What is followed by the name of one: `/users/ann`.
    static let people: [StaticString] = [
        "user", "users", "people", "person", "member", "members", "profile", "profiles", "account", "accounts",
        "customer", "customers", "patient", "patients", "author", "authors", "friend", "friends", "contact", "contacts",
        "u", "by-email", "by-name", "username",
    ]

    /// Names that stand for the caller or for an action where somebody's name may stand: `/users/me`.
    static let roles: [StaticString] = [
        "me", "self", "current", "login", "logout", "search", "new", "list", "all", "settings", "profile", "status",
        "count", "batch", "bulk", "export", "import", "verify", "register", "signup", "signin", "password", "avatar",
    ]

    /// Whether a segment is somebody's name by what stands before it.
    ///
    /// No memory is taken. ASCII case does not matter, and percent-encoding is not undone.
    package static func isPersonName(
        _ segment: UnsafeRawBufferPointer, after previous: UnsafeRawBufferPointer
    ) -> Bool {
        guard !segment.isEmpty, contains(previous, in: people) else { return false }
        return !contains(segment, in: roles) && !contains(segment, in: people) && !isFile(segment)
    }

    /// Whether a segment is one word with the extension of a static file, `default.png`; `ann.smith` is none.
    private static func isFile(_ segment: UnsafeRawBufferPointer) -> Bool {
        segment.count(where: { $0 == UInt8(ascii: ".") }) == 1 && staticExtension(segment) != nil
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, in words: [StaticString]) -> Bool {
        words.contains { word in
            guard word.utf8CodeUnitCount == bytes.count else { return false }
            let text = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
            return bytes.elementsEqual(text, by: asciiCaseInsensitiveEqual)
        }
    }
}
