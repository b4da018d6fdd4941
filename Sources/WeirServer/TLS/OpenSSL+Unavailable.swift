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

    init?(accepting context: TLSContext) { return nil }

    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
    var unusedCount: Int { 0 }
    var outputCount: Int { 0 }
    func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    func sent(_ count: Int) {}
    func handshake() -> Outcome { .failed }
    func read(into room: UnsafeMutableRawBufferPointer) -> Outcome { .failed }
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
    func finish() {}
    var facts: LocalServer.Request.TLS {
        .init(
            version: 0, cipherSuite: 0, applicationProtocol: nil, serverName: nil, clientCertificateSubject: nil,
            isResumed: false)
    }
    var failure: LocalServer.HandshakeFailure.Reason { .refused("this build has no OpenSSL") }
}
#endif
