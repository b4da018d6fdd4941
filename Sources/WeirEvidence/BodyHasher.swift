package import Foundation
package import WeirModel

/// Digests a body as it passes, keeping none of it.
///
/// The digest is salted once per process, so that it means nothing outside of it. How the bytes were split does not
/// change it. Complexity: O(bytes), with no allocation.
package struct BodyHasher {
    private static let salt = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

    private var hasher = Hasher()
    private var count: UInt64 = 0

    package init() {
        hasher.combine(Self.salt.0)
        hasher.combine(Self.salt.1)
    }

    /// Takes the next bytes of the body.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        hasher.combine(bytes: bytes)
        count &+= UInt64(bytes.count)
    }

    /// The digest of what was seen so far, or nil when that is nothing.
    package func digest() -> BodyDigest? {
        guard count > 0 else { return nil }
        var copy = hasher
        copy.combine(count)
        return BodyDigest(rawValue: UInt64(bitPattern: Int64(copy.finalize())))
    }

    /// The digest of a whole body, or nil when it is empty.
    package static func digest(of body: some DataProtocol) -> BodyDigest? {
        var hasher = BodyHasher()
        for region in body.regions { region.withUnsafeBytes { hasher.update($0) } }
        return hasher.digest()
    }

    /// The digest of a whole body in one piece, or nil when it is empty.
    ///
    /// The general form, which finds the pieces through tables, costs more than hashing a small body.
    package static func digest(of body: Data) -> BodyDigest? {
        var hasher = BodyHasher()
        body.withUnsafeBytes { hasher.update($0) }
        return hasher.digest()
    }
}
