#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A number that tells threads apart, mostly.
enum ThreadNumber {
    /// The number of the thread that asks, 0 or more.
    static var current: Int {
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
