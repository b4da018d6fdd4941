/// The bytes of a message of which the end has not come.
///
/// Its memory is on the heap and stays where it is until the next change, so that a message in it can be handed out in place.
/// Copies share the memory until one of them changes.
struct CarryBuffer: Sendable {
    /// `@unchecked Sendable`: only written while a single `CarryBuffer` refers to it, which every change makes sure of;
    /// what is shared is only read.
    private final class Storage: @unchecked Sendable {
        let base: UnsafeMutableRawPointer
        let capacity: Int

        init(capacity: Int) {
            base = .allocate(byteCount: capacity, alignment: 16)
            self.capacity = capacity
        }

        deinit { base.deallocate() }
    }

    /// What is kept for the next message; more is given back.
    private static let kept = 4 << 20
    /// From what size on it grows to that at once.
    private static let large = 64 << 10

    private var storage: Storage?
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: storage.map { UnsafeRawPointer($0.base) }, count: count)
    }

    /// Appends bytes.
    ///
    /// - Parameter limit: What the buffer will never have to hold more of: it does not grow for nothing.
    mutating func append(_ new: UnsafeRawBufferPointer, limit: Int) {
        guard let source = new.baseAddress, new.count > 0 else { return }
        reserve(count + new.count, limit: limit).copyMemory(from: source, byteCount: new.count)
        count += new.count
    }

    /// Appends a few bytes if there is room for them already.
    ///
    /// - Parameter limit: The most that the buffer may hold.
    /// - Returns: Whether they were appended.
    @inline(__always)
    mutating func appendFew(_ source: UnsafeRawPointer, _ added: Int, limit: Int) -> Bool {
        let needed = count &+ added
        guard needed <= limit, isKnownUniquelyReferenced(&storage), let storage, storage.capacity >= needed
        else { return false }
        let free = storage.base + count
        var position = 0
        while position < added {
            free.storeBytes(
                of: source.load(fromByteOffset: position, as: UInt8.self), toByteOffset: position, as: UInt8.self)
            position &+= 1
        }
        count = needed
        return true
    }

    mutating func append(_ byte: UInt8, limit: Int) {
        reserve(count + 1, limit: limit).storeBytes(of: byte, as: UInt8.self)
        count += 1
    }

    mutating func removeAll() {
        count = 0
        if let storage, storage.capacity > Self.kept { self.storage = nil }
    }

    /// Makes room, and gives the place of the first free byte.
    @inline(__always)
    private mutating func reserve(_ needed: Int, limit: Int) -> UnsafeMutableRawPointer {
        // Asked before anything here refers to the memory too, which would be a second owner.
        if isKnownUniquelyReferenced(&storage), let storage, storage.capacity >= needed { return storage.base + count }
        return grow(needed, limit: limit)
    }

    @inline(never)
    private mutating func grow(_ needed: Int, limit: Int) -> UnsafeMutableRawPointer {
        let old = storage
        // Four times as much each time, and from some size on all that is kept anyway: what is not used yet is not resident, and what is
        // there is moved seldom.
        let larger =
            old.map { old in
                if old.capacity >= needed { return old.capacity }
                return old.capacity >= Self.large ? max(old.capacity * 4, Self.kept) : old.capacity * 4
            } ?? 256
        let grown = Storage(capacity: max(needed, min(larger, limit)))
        if let old { grown.base.copyMemory(from: old.base, byteCount: count) }
        storage = grown
        return grown.base + count
    }
}
