#if canImport(Darwin)
import Foundation

extension HTTPSession.Cache {
    /// The system's cache in its place.
    var systemCache: URLCache {
        let bytes = Int(clamping: limit)
        switch kind {
        case .memory: return URLCache(memoryCapacity: bytes, diskCapacity: 0, directory: nil)
        case .disk(let folder): return URLCache(memoryCapacity: 0, diskCapacity: bytes, directory: folder)
        }
    }
}
#endif
