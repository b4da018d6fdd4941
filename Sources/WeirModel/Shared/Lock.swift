#if WEIR_THREAD_SANITIZER
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A lock of POSIX in place of the toolchain's `Mutex`, for builds that Thread Sanitizer watches.
///
/// `Mutex` waits inside of the toolchain's library, which is not instrumented, so that the sanitizer misses the hand-over and
/// reports what the lock protects. It knows the locks of POSIX. `Scripts/sanitize thread` turns this on; nothing else does.
package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable: both are reached under the lock alone, but for their making and their end, when nobody else has them.
    private let value: UnsafeMutablePointer<Value>
    private let handle: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ initial: consuming sending Value) {
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
        handle = .allocate(capacity: 1)
        handle.initialize(to: pthread_mutex_t())
        pthread_mutex_init(handle, nil)
    }

    deinit {
        pthread_mutex_destroy(handle)
        handle.deinitialize(count: 1).deallocate()
        value.deinitialize(count: 1).deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(handle)
        defer { pthread_mutex_unlock(handle) }
        return try body(&value.pointee)
    }

    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard pthread_mutex_trylock(handle) == 0 else { return nil }
        defer { pthread_mutex_unlock(handle) }
        return try body(&value.pointee)
    }
}
#else
package import Synchronization

/// The lock that protects what threads share: the toolchain's.
package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
