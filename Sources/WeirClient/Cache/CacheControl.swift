import WeirModel

/// The directives of Cache-Control (RFC 9111, section 5.2), as far as they can be read.
///
/// Of a directive that is there twice the first counts. What is malformed is skipped up to the next comma outside of quotes.
struct CacheControl: Sendable, Equatable {
    /// A directive's number of seconds.
    enum Seconds: Sendable, Equatable {
        case absent
        /// There, but without a number that can be read.
        case invalid
        case value(Double)
    }

    private struct Directive: Sendable, Equatable {
        var name: String
        var value: String?
    }

    /// What stands for more seconds than that (RFC 9111, section 1.2.2).
    private static let mostSeconds: Double = 2_147_483_648

    private var directives: [Directive] = []

    init(_ fields: some Sequence<HeaderField>) {
        for field in fields
        where field.isNamed("cache-control") {
            add(Array(field.value.utf8))
        }
    }

    var isEmpty: Bool { directives.isEmpty }

    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Whether a directive is there without an argument: `no-cache`, but not `no-cache="set-cookie"`.
    func hasUnqualified(_ name: String) -> Bool {
        directives.contains { $0.name == name && ($0.value ?? "").isEmpty }
    }

    /// The field names, in lower case, that are a directive's argument.
    func names(_ name: String) -> [String] {
        directives.filter { $0.name == name }.flatMap { directive in
            (directive.value ?? "").utf8.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
                .map { String(decoding: $0, as: UTF8.self).lowercased() }
        }
    }

    func seconds(_ name: String) -> Seconds {
        guard let directive = directives.first(where: { $0.name == name }) else { return .absent }
        return directive.value.flatMap(Self.seconds).map(Seconds.value) ?? .invalid
    }

    /// Whether a directive is there without any argument at all, as `max-stale` may be.
    func isBare(_ name: String) -> Bool { directives.first { $0.name == name }.map { $0.value == nil } ?? false }

    /// A number of digits only.
    static func seconds(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.utf8.reduce(0) { min($0 * 10 + Double($1 - 0x30), mostSeconds) }
    }

    private mutating func add(_ bytes: [UInt8]) {
        var index = 0
        func skipSpace() { while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 } }
        while index < bytes.count {
            skipSpace()
            let start = index
            while index < bytes.count, !Self.endsToken(bytes[index]) { index += 1 }
            let name = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
            var value: String?
            if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
                index += 1
                if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                    value = Self.quoted(bytes, &index)
                } else {
                    let start = index
                    while index < bytes.count, !Self.endsToken(bytes[index]) { index += 1 }
                    value = String(decoding: bytes[start..<index], as: UTF8.self)
                }
            }
            skipSpace()
            let isWhole = index >= bytes.count || bytes[index] == 0x2C
            if !isWhole {
                while index < bytes.count, bytes[index] != 0x2C {
                    if bytes[index] == UInt8(ascii: "\"") { _ = Self.quoted(bytes, &index) } else { index += 1 }
                }
                // A number with something behind it is none; the directive itself still counts.
                if value != nil { value = "" }
            }
            index += 1
            if !name.isEmpty { directives.append(Directive(name: name, value: value)) }
        }
    }

    private static func endsToken(_ byte: UInt8) -> Bool {
        byte == 0x2C || byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\"")
    }

    /// A quoted string's text, from its opening quote on.
    private static func quoted(_ bytes: [UInt8], _ index: inout Int) -> String {
        index += 1
        var text: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            text.append(bytes[index])
            index += 1
        }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }
}
