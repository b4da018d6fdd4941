#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What the public handle and the event thread share.
final class ServerCore: Sendable {
    let options: LocalServer.Options
    let mailbox: Mailbox
    let journal: Journal
    /// Keys and certificates; nil in clear.
    let tls: TLSMaterial?

    init(options: LocalServer.Options) throws(LocalServer.StartError) {
        self.options = options
        do throws(TLSError) {
            tls = try options.tls.map { options throws(TLSError) in try TLSMaterial(options) }
        } catch {
            throw .init(step: "set up TLS", errno: EPROTONOSUPPORT, reason: error.reason)
        }
        mailbox = try Mailbox()
        journal = Journal(limits: options.limits)
    }
}
