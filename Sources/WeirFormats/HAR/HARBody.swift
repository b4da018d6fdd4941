import Foundation
import WeirEvidence
import WeirModel

/// Bodies inside a HAR file: looked at in place, never kept.
enum HARBody {
    /// The digest of a request body: of its text, or of its form fields where there is no text.
    static func digest(ofPostData value: JSONView) -> BodyDigest? {
        if let text = value["text"], !text.isEmptyString {
            let digest: BodyDigest?? = text.withStringBytes { bytes in
                var hasher = BodyHasher()
                hasher.update(bytes)
                return hasher.digest()
            }
            if let digest { return digest }
        }
        guard let parameters = value["params"], parameters.isArray else { return nil }
        var hasher = BodyHasher()
        for parameter in parameters.elements {
            for (name, separator) in [("name" as StaticString, "="), ("fileName", "="), ("value", "&")] {
                _ = parameter[name]?.withStringBytes { hasher.update($0) }
                Array(separator.utf8).withUnsafeBytes { hasher.update($0) }
            }
        }
        return hasher.digest()
    }

    /// The size of a response body's text, or nil when there is none.
    static func size(ofContent value: HARMembers) -> Int64? {
        guard let text = value[.text], !text.isEmptyString else { return nil }
        let isBase64 = value[.encoding]?.string?.lowercased() == "base64"
        return text.withStringBytes { bytes in
            guard isBase64 else { return Int64(bytes.count) }
            var digits: Int64 = 0
            for byte in bytes where byte > 0x20 && byte != UInt8(ascii: "=") { digits += 1 }
            return digits * 3 / 4
        }
    }
}
