import Foundation

/// The bytes of a body in memory that grows by doubling, and that is handed over rather than copied when it is large.
struct CollectedBody: ~Copyable {
    /// Below this, a copy is cheaper than giving the memory away.
    private static let copyLimit = 32 * 1024

    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    deinit { free(base) }

    /// Makes room for a body whose size is known, within reason.
    mutating func reserve(_ size: Int) {
        guard size > capacity, size <= 64 << 20 else { return }
        grow(to: size)
    }

    /// Appends bytes.
    ///
    /// - Returns: Whether there was memory for them.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return true }
        if count + bytes.count > capacity { grow(to: max(count + bytes.count, capacity * 2, 4096)) }
        guard let base, count + bytes.count <= capacity else { return false }
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
        return true
    }

    /// Appends what a function writes into free space of at least so many bytes.
    ///
    /// - Parameter fill: Gives the number of bytes that it wrote.
    /// - Returns: Whether there was memory.
    mutating func append(atLeast size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
        if capacity - count < size { grow(to: max(count + size, capacity * 2)) }
        guard let base, capacity - count >= size else { return false }
        let space = UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
        count += max(0, min(fill(space), space.count))
        return true
    }

    /// The bytes, as they are until the next change.
    func withBytes<R, E>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Gives the bytes away and is empty afterwards.
    mutating func take() -> Data {
        defer { count = 0 }
        guard let base, count > 0 else { return Data() }
        if count <= Self.copyLimit { return Data(bytes: base, count: count) }
        self.base = nil
        capacity = 0
        return Data(bytesNoCopy: base, count: count, deallocator: .free)
    }

    /// Forgets the bytes, and the memory if it is much.
    mutating func reset() {
        count = 0
        guard capacity > 2 * Self.copyLimit else { return }
        free(base)
        base = nil
        capacity = 0
    }

    private mutating func grow(to size: Int) {
        guard let larger = realloc(base, size) else { return }
        base = larger
        capacity = size
    }
}
