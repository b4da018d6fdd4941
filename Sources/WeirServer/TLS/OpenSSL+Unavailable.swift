#if !canImport(CWeirOpenSSL)
import Foundation

// Where there is no OpenSSL, as on Apple platforms, there are no connections over TLS: these can not be made, so that all that
// handles them compiles and never runs.

struct TLSError: Error, Equatable {
    var reason: String
}

final class TLSIdentity: Sendable {
    struct Template {
        var name: String
        var alternativeNames: String?
        var validity: ClosedRange<Int64>
        var isAuthority = false
        var isClient = false
    }

    init(_ template: Template, issuer: TLSIdentity? = nil) throws(TLSError) {
        throw TLSError(reason: "this build has no OpenSSL")
    }

    var certificate: LocalServer.Certificate { .init(pem: Data(), der: Data(), publicKeyDigest: Data()) }
    var privateKeyPEM: Data { Data() }
}

final class TLSContext: Sendable {
    init(server options: LocalServer.TLS, identity: TLSIdentity, clientAuthority: TLSIdentity?) throws(TLSError) {
        throw TLSError(reason: "this build has no OpenSSL")
    }
}

final class TLSEngine {
    enum Outcome: Equatable {
        case bytes(Int)
        case wantsInput, ended, failed
    }

    private let never: Never

    init?(accepting context: TLSContext) { return nil }

    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool { switch never {} }
    var unusedCount: Int { switch never {} }
    var outputCount: Int { switch never {} }
    func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { switch never {} }
    func sent(_ count: Int) { switch never {} }
    func handshake() -> Outcome { switch never {} }
    func read(into room: UnsafeMutableRawBufferPointer) -> Outcome { switch never {} }
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool { switch never {} }
    func finish() { switch never {} }
    var facts: LocalServer.Request.TLS { switch never {} }
    var failure: LocalServer.HandshakeFailure.Reason { switch never {} }
}
#endif
