import Synchronization

/// Keeps the document of the last call for the next one, whatever the threads.
final class JSONDocumentPool: Sendable {
    /// A document that this pool owns a reference to, or 0.
    ///
    /// Who takes it out by an exchange is the only one to have it.
    private let slot = Atomic<UInt>(0)

    /// A document to be given back with ``give(_:)``, which has the only reference to it that is counted: the one that was kept, if none
    /// else has taken it.
    @inline(__always)
    func take() -> Unmanaged<JSONDocument> { takeKept() ?? Unmanaged.passRetained(JSONDocument()) }

    @inline(__always)
    private func takeKept() -> Unmanaged<JSONDocument>? {
        UnsafeRawPointer(bitPattern: slot.exchange(0, ordering: .acquiring)).map(Unmanaged.fromOpaque)
    }

    /// Keeps a document, unless something of the call still refers to it, as an escaped decoder does, or another one is kept already.
    @inline(__always)
    func give(_ document: Unmanaged<JSONDocument>) {
        document._withUnsafeGuaranteedRef { $0.memory.pointee.containers.close() }
        guard Self.isUnique(document) else { return document.release() }
        document._withUnsafeGuaranteedRef { $0.reset() }
        let isKept = slot.compareExchange(
            expected: 0, desired: UInt(bitPattern: document.toOpaque()), ordering: .releasing
        ).exchanged
        if !isKept { document.release() }
    }

    /// Whether there is no other reference to a document.
    @inline(__always)
    private static func isUnique(_ document: Unmanaged<JSONDocument>) -> Bool {
        var document = document
        // It is a reference, seen as one for the question alone: none is added that would have to be counted.
        return withUnsafeMutablePointer(to: &document) {
            $0.withMemoryRebound(to: JSONDocument.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }

    deinit { takeKept()?.release() }
}
