/// Places that a kernel found ahead of where its parser is, as offsets from the stream's beginning.
///
/// A kernel scans a window of a few KiB at a time and writes down what it finds; the parser takes the places one by one. Offsets
/// of the stream, rather than addresses, stay right whatever the caller does with a piece between two calls.
struct OffsetIndex: Sendable {
    /// Bytes that are scanned at a time.
    static let window = 4096

    /// `@unchecked Sendable`: written only while a single index refers to it, which `scan` makes sure of.
    private final class Storage: @unchecked Sendable {
        let base: UnsafeMutablePointer<UInt16>

        init() { base = .allocate(capacity: OffsetIndex.window + ByteKernels.block) }

        deinit { base.deallocate() }
    }

    /// Owns the memory of `places`.
    private var storage: Storage?
    /// The memory itself, so that reading a place counts no references.
    ///
    /// `nonisolated(unsafe)`: it points into `storage`, which lives as long as this value and is `Sendable` for its own reason.
    private(set) nonisolated(unsafe) var places: UnsafePointer<UInt16>?
    private(set) var position = 0
    private(set) var count = 0
    private(set) var windowStart = 0
    /// Up to where the stream has been scanned.
    private(set) var end = 0

    /// The first place that has not been taken, or nil when all have.
    var first: Int? {
        @inline(__always) get {
            guard position < count, let places else { return nil }
            return windowStart &+ Int(places[position])
        }
    }

    /// The last place of the window; only when there is a first one.
    var last: Int {
        guard count > 0, let places else { return windowStart }
        return windowStart &+ Int(places[count &- 1])
    }

    @inline(__always)
    mutating func removeFirst() { position &+= 1 }

    /// Goes on behind places that were taken by way of `places`.
    @inline(__always)
    mutating func advance(to position: Int) { self.position = position }

    /// Whether all places have been taken, and the stream has been scanned up to a place and no further.
    @inline(__always)
    func isAtEnd(_ offset: Int) -> Bool { position >= count && end == offset }

    /// Goes on behind bytes that were looked at otherwise; only where all has been taken.
    @inline(__always)
    mutating func skip(_ bytes: Int) { end &+= bytes }

    /// Forgets everything, and goes on at a place.
    mutating func restart(at offset: Int) {
        position = 0
        count = 0
        end = offset
    }

    /// Scans the next window; only when all places have been taken.
    ///
    /// - Parameters:
    ///   - input: Bytes of the stream.
    ///   - offset: Where in the stream they begin; not behind what has been scanned.
    ///   - kernel: Writes offsets from the window's start, and says how many.
    /// - Returns: False when there was nothing to scan.
    @inline(__always)
    mutating func scan(
        _ input: UnsafeRawBufferPointer, at offset: Int,
        _ kernel: (UnsafeRawPointer, Int, UnsafeMutablePointer<UInt16>) -> Int
    ) -> Bool {
        let skipped = end &- offset
        guard let base = input.baseAddress, skipped >= 0, skipped < input.count else { return false }
        let size = min(input.count &- skipped, Self.window)
        if storage == nil || !isKnownUniquelyReferenced(&storage) { storage = Storage() }
        guard let output = storage?.base else { return false }
        places = UnsafePointer(output)
        windowStart = end
        position = 0
        count = kernel(base + skipped, size, output)
        end &+= size
        return true
    }
}
