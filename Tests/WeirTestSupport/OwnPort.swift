import Foundation

/// Ports that no other test is given by chance, for tests that look at a port after its server is gone.
///
/// A port that the system chose may be chosen again the moment it is free, by another server or as the near end of a
/// connection. These lie below the range from which systems choose.
package enum OwnPort {
    /// A port of 127.0.0.1 on which nothing listens.
    package static func next() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 12_000..<30_000)
            if isFree(port) { return port }
        }
        throw CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "no port below 30000 is free"])
    }

    private static func isFree(_ port: UInt16) -> Bool {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
