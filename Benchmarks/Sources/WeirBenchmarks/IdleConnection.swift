import Foundation

/// A client of one connection that does nothing by itself.
final class IdleConnection {
    private let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                address.baseAddress.map { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) } ?? -1
            }
        }
        guard result == 0 else { throw Invalid("no connection: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Sends a request and waits for the first bytes of the answer.
    ///
    /// - Returns: How many bytes came.
    func exchange() throws -> Int {
        let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, 0) == request.count else {
            throw Invalid("the request could not be sent: \(String(cString: strerror(errno)))")
        }
        var answer = [UInt8](repeating: 0, count: 4096)
        return recv(descriptor, &answer, answer.count, 0)
    }
}
