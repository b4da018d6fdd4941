import Synchronization

/// Keeps the document of the last call for the next one, whatever the threads.
final class JSONDocumentPool: Sendable {
    /// A document that this pool owns a reference to, or 0.
    ///
    /// Who takes it out by an exchange is the only one to have it.
    private let slot = Atomic<UInt>(0)

    /// The document that was kept, if none else has taken it.
    func take() -> JSONDocument? {
        guard let opaque = UnsafeRawPointer(bitPattern: slot.exchange(0, ordering: .acquiring)) else { return nil }
        return Unmanaged<JSONDocument>.fromOpaque(opaque).takeRetainedValue()
    }

    /// Keeps a document, unless something of the call still refers to it, as an escaped decoder does, or another one is kept already.
    func give(_ document: inout JSONDocument) {
        document.memory.pointee.containers.close()
        guard isKnownUniquelyReferenced(&document) else { return }
        document.reset()
        let kept = Unmanaged.passRetained(document)
        let isKept = slot.compareExchange(
            expected: 0, desired: UInt(bitPattern: kept.toOpaque()), ordering: .releasing
        ).exchanged
        if !isKept { kept.release() }
    }

    deinit { _ = take() }
}
