import Foundation
import WeirCoding
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A response's head, parsed once.
///
/// Immutable, so that a head that is byte for byte the same for the same URL can be shared (``ResponseHeadCache``).
final class ResponseHead: Sendable {
    let status: Int
    /// All fields, in order.
    let fields: [HeaderField]
    /// The fields that records keep.
    let keptFields: [HeaderField]
    /// The codings of the body in the order in which they were applied; none when it has none that we know.
    let contentCodings: [ContentCoding]
    let response: HTTPURLResponse

    /// As in `HTTP/1.1`.
    let version: String

    convenience init?(bytes: [UInt8], status: Int, url: URL) {
        self.init(
            status: status, version: Self.version(in: bytes) ?? "HTTP/1.1", fields: Self.fields(in: bytes), url: url)
    }

    init?(status: Int, version: String, fields: [HeaderField], url: URL) {
        var merged: [String: String] = [:]
        merged.reserveCapacity(fields.count)
        var kept: [HeaderField] = []
        for field in fields {
            let lowercased = field.name.lowercased()
            if HeaderField.keptInResponses.contains(lowercased) { kept.append(field) }
            // Names differ in case only now and then; the first spelling counts.
            if let before = merged[field.name] {
                merged[field.name] = before + ", " + field.value
            } else if let spelled = merged.keys.first(where: { $0.lowercased() == lowercased }) {
                merged[spelled]? += ", " + field.value
            } else {
                merged[field.name] = field.value
            }
        }
        guard
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: version, headerFields: merged)
        else { return nil }
        self.version = version
        self.status = status
        self.fields = fields
        keptFields = kept
        // Part of a coded body cannot be decoded, and of a body in an unknown coding we deliver the bytes.
        contentCodings = status == 206 ? [] : fields["content-encoding"].flatMap(ContentCoding.chain(header:)) ?? []
        self.response = response
    }

    subscript(name: String) -> String? { fields[name] }

    /// Splits lines into fields; a line that begins with white space continues the value before it (obs-fold).
    static func fields(in bytes: [UInt8]) -> [HeaderField] {
        var result: [HeaderField] = []
        var start = (bytes.firstIndex(of: 0x0A) ?? bytes.count) + 1
        while start < bytes.count {
            let newline = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            var line = bytes[start..<newline]
            start = newline + 1
            if line.last == 0x0D { line.removeLast() }
            guard let first = line.first else { break }
            if first == 0x20 || first == 0x09 {
                if !result.isEmpty { result[result.count - 1].value += " " + text(trimmed(line)) }
                continue
            }
            guard let colon = line.firstIndex(of: 0x3A) else { continue }
            result.append(
                HeaderField(name: text(trimmed(line[..<colon])), value: text(trimmed(line[(colon + 1)...]))))
        }
        return result
    }

    private static func version(in bytes: [UInt8]) -> String? {
        guard let space = bytes.firstIndex(of: 0x20) else { return nil }
        return text(bytes[..<space])
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }

    /// UTF-8, or Latin-1 when it is not (RFC 9110, section 5.5).
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }
}
