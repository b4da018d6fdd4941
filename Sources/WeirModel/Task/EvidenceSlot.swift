import Synchronization

/// A place for what is known of one unit of work's bodies: whoever looks at bodies puts it there and finds it again.
///
/// A unit of work has one, shared with the units inside it, and drops its content when it is closed; so does an
/// observer that wants to know of dependencies outside of any unit (``EvidenceObserver``). Where there is no slot,
/// nobody asks, and bodies are not looked at.
package final class EvidenceSlot: Sendable {
    private let content = Lock<(any AnyObject & Sendable)?>(nil)

    package init() {}

    /// What is in the slot; made when there is nothing of that type.
    package func content<Content: AnyObject & Sendable>(_ make: @Sendable () -> Content) -> Content {
        content.withLock { content in
            if let known = content as? Content { return known }
            let made = make()
            content = made
            return made
        }
    }

    /// Drops what is in the slot; tasks under way keep what they have.
    package func clear() {
        // Released outside of the lock.
        _ = content.withLock { content in
            defer { content = nil }
            return content
        }
    }
}

/// An observer for which tasks outside of any unit of work are examined for dependencies as well.
package protocol EvidenceObserver: TaskObserver {
    var evidence: EvidenceSlot { get }
}
