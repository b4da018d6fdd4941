import Synchronization
import WeirModel

/// The descriptors that the event thread takes over.
struct Parts: ~Copyable {
    let listener: Socket
    let queue: EventQueue

    consuming func run(_ core: ServerCore, _ handler: @escaping LocalServer.Handler) {
        Reactor(core, parts: self, handler: handler).run()
    }
}

/// Carries something that cannot be copied into a closure, to be taken out there once.
final class Handoff: Sendable {
    private let parts: Lock<Parts?>

    init(_ parts: consuming sending Parts) {
        self.parts = Lock(parts)
    }

    func take() -> Parts? {
        parts.withLock { $0.take() }
    }
}
