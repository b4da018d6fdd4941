import Foundation

/// A socket that sends datagrams to one place and never waits.
final class DatagramSocket: Sendable {
    /// Why a socket cannot be made.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let descriptor: Int32

    /// A UDP socket to a host and port.
    init(host: String, port: UInt16) throws(Failure) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_DGRAM
        #else
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0, let first = found?.pointee else {
            throw Failure(description: "The host \(host) has no address: \(String(cString: gai_strerror(code))).")
        }
        descriptor = try Self.connected(first.ai_family, first.ai_addr, first.ai_addrlen)
    }

    /// A Unix datagram socket at a path.
    init(path: String) throws(Failure) {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else {
            throw Failure(description: "The path of a socket has 1 to \(room - 1) bytes; this one has \(bytes.count).")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result: Result<Int32, Failure> = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                do throws(Failure) {
                    return .success(
                        try Self.connected(AF_UNIX, address, socklen_t(MemoryLayout<sockaddr_un>.size)))
                } catch {
                    return .failure(error)
                }
            }
        }
        descriptor = try result.get()
    }

    deinit { close(descriptor) }

    private static func connected(
        _ family: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
    ) throws(Failure) -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(family, SOCK_DGRAM, 0)
        #else
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else {
            throw Failure(description: "No socket can be made: \(String(cString: strerror(errno))).")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        guard connect(descriptor, address, length) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Failure(description: "The socket cannot be connected: \(reason).")
        }
        return descriptor
    }

    /// Sends a datagram, and waits a moment where the system's buffer is full.
    ///
    /// - Returns: Whether the system took it: not where the buffer stays full, or nobody listens.
    func send(_ datagram: [UInt8]) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        for _ in 0..<4 {
            let sent = datagram.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            if sent == datagram.count { return true }
            guard errno == EAGAIN || errno == ENOBUFS || errno == EINTR else { return false }
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&wait, 1, 50)
        }
        return false
    }
}
