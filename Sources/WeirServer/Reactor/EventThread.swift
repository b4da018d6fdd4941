#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import CWeirPosix
import Synchronization
import WeirModel

/// A thread that runs one function, and can be joined once by anyone but itself.
final class EventThread: Sendable {
    /// The thread's function, carried to it through C.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            weir_name_thread(name)
            #if os(Linux)
            weir_tighten_timers()
            #endif
            body()
        }
    }

    #if canImport(Darwin)
    /// An identity; nothing is read or written through it, so that sharing it is safe.
    private nonisolated(unsafe) let thread: pthread_t
    #else
    private let thread: pthread_t
    #endif
    /// Whether the thread was joined; held while joining, so that a second caller returns no sooner than the first.
    private let isJoined = Lock(false)

    init(name: String, body: @escaping @Sendable () -> Void) throws(LocalServer.StartError) {
        // One reference goes to the thread, which consumes it; it comes back when there is no thread.
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, start.toOpaque())
        #else
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, start.toOpaque())
        #endif
        guard result == 0 else {
            start.release()
            throw .init(step: "make a thread", errno: result)
        }
        #if canImport(Darwin)
        guard let thread else { throw .init(step: "make a thread", errno: EAGAIN) }
        #endif
        self.thread = thread
    }

    /// Whether this is the thread; takes no lock, since another one may be waiting for this thread's end.
    var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

    /// Waits for the thread's end; on the thread itself, returns at once.
    func join() {
        guard !isCurrent else { return }
        isJoined.withLock { isJoined in
            if isJoined { return }
            pthread_join(thread, nil)
            isJoined = true
        }
    }

    deinit {
        isJoined.withLock { isJoined in
            if !isJoined { pthread_detach(thread) }
        }
    }
}
