#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import CWeirPosix

/// A non-blocking TCP socket on the loopback interface; every call on one is here.
///
/// It is owned: leaving its scope closes the descriptor, once.
struct Socket: ~Copyable {
    let descriptor: Int32

    /// What became of a transfer.
    enum Outcome: Equatable {
        case bytes(Int)
        case wouldBlock
        case failed(Int32)
    }

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    /// A socket that listens on a loopback address.
    static func listening(on address: LocalServer.Address, port: UInt16) throws(LocalServer.StartError) -> Socket {
        let family = address == .ipv4 ? AF_INET : AF_INET6
        #if canImport(Darwin)
        let made = socket(family, SOCK_STREAM, 0)
        #else
        let made = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        #endif
        guard made >= 0 else { throw .init(step: "make a socket", errno: errno) }
        let result = Socket(owning: made)
        #if canImport(Darwin)
        Self.makeNonBlocking(made)
        #endif
        result.set(SOL_SOCKET, SO_REUSEADDR, 1)
        if address == .ipv6 { result.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        guard result.bind(to: address, port: port) == 0 else {
            throw .init(step: "bind to port \(port) of \(address == .ipv4 ? "127.0.0.1" : "[::1]")", errno: errno)
        }
        guard listen(made, 4096) == 0 else { throw .init(step: "listen", errno: errno) }
        return result
    }

    private borrowing func bind(to address: LocalServer.Address, port: UInt16) -> Int32 {
        switch address {
        case .ipv4:
            var name = sockaddr_in()
            #if canImport(Darwin)
            name.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
            #endif
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Self.systemBind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .ipv6:
            var name = sockaddr_in6()
            #if canImport(Darwin)
            name.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
            #endif
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            name.sin6_addr = in6addr_loopback
            return withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Self.systemBind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }

    private static func systemBind(_ socket: Int32, _ name: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
        #if canImport(Darwin)
        Darwin.bind(socket, name, size)
        #else
        Glibc.bind(socket, name, size)
        #endif
    }

    /// The port of this end, or 0.
    borrowing func localPort() -> UInt16 { Self.port(descriptor, getsockname) }

    /// The port of the other end, or 0 when it is gone.
    borrowing func remotePort() -> UInt16 { Self.port(descriptor, getpeername) }

    private static func port(
        _ descriptor: Int32,
        _ lookUp: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16 {
        // The port stands at the same place in both families' names.
        var name = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { lookUp(descriptor, $0, &size) }
        }
        return result == 0 ? UInt16(bigEndian: name.sin6_port) : 0
    }

    /// The next connection that waits, or why there is none.
    borrowing func accept() -> Result<Socket, Failure> {
        while true {
            #if canImport(Darwin)
            let accepted = Darwin.accept(descriptor, nil, nil)
            #else
            let accepted = weir_accept(descriptor)
            #endif
            if accepted >= 0 {
                let socket = Socket(owning: accepted)
                #if canImport(Darwin)
                Self.makeNonBlocking(accepted)
                socket.set(SOL_SOCKET, SO_NOSIGPIPE, 1)
                #endif
                socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
                return .success(socket)
            }
            // A connection that died while it waited is not the listener's failure.
            if errno == EINTR || errno == ECONNABORTED { continue }
            return .failure(Failure(errno: errno))
        }
    }

    struct Failure: Error {
        var errno: Int32
        /// Whether nothing waits.
        var isEmpty: Bool { errno == EAGAIN || errno == EWOULDBLOCK }
    }

    borrowing func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(errno)
        }
    }

    borrowing func send(_ vectors: UnsafeBufferPointer<iovec>) -> Outcome {
        while true {
            let count = weir_send(descriptor, vectors.baseAddress, Int32(vectors.count))
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(errno)
        }
    }

    /// Tells the peer that nothing more will come.
    borrowing func finishSending() {
        #if canImport(Darwin)
        _ = shutdown(descriptor, SHUT_WR)
        #else
        _ = shutdown(descriptor, Int32(SHUT_WR))
        #endif
    }

    /// Whether the peer has closed both sides, not just its sending one; false where the system does not tell.
    borrowing func isPeerGone() -> Bool {
        #if os(Linux)
        weir_peer_is_orphan(descriptor) == 1
        #else
        false
        #endif
    }

    /// Makes the close a TCP reset, which leaves nothing behind, no TIME_WAIT either.
    borrowing func resetOnClose() {
        var option = linger()
        option.l_onoff = 1
        option.l_linger = 0
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Lets the kernel take no more than about so many bytes before they are read.
    borrowing func limitReceiveBuffer(_ bytes: Int32) { set(SOL_SOCKET, SO_RCVBUF, bytes) }

    private borrowing func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    #if canImport(Darwin)
    private static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    #endif
}
