#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Where a thread found room the last time: a number that each thread keeps for itself, so that threads which record at the
/// same time come to have a part each, whose memory stays in their processor's cache.
enum ThreadPlace {
    /// Nil when the process has no keys left; threads begin by their own number then.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// The place of the thread that asks, 0 or more.
    static var current: Int {
        get {
            guard let key, let kept = pthread_getspecific(key) else { return first }
            return Int(bitPattern: kept) &- 1
        }
        set {
            // One more, since nothing is kept as nothing. If it cannot be kept, the thread looks around again.
            if let key { _ = pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue &+ 1)) }
        }
    }

    /// Where a thread begins to look: a number that tells threads apart, mostly.
    private static var first: Int {
        #if canImport(Darwin)
        let handle = UInt64(pthread_mach_thread_np(pthread_self()))
        #elseif canImport(Musl)
        let handle = UInt64(UInt(bitPattern: pthread_self()))
        #else
        let handle = UInt64(truncatingIfNeeded: pthread_self())
        #endif
        return Int(truncatingIfNeeded: (handle &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }
}
