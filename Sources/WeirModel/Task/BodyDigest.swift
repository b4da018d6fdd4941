/// A salted 64-bit digest of a body: equal bodies of one process have equal digests, and nothing else can be told.
///
/// It never leaves the process: files carry a small ordinal in its place.
public struct BodyDigest: Sendable, Hashable, RawRepresentable {
    /// The digest.
    public var rawValue: UInt64

    /// Makes a digest of a value that was computed before.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
