#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import Synchronization
import WeirModel

/// What the public handle and the event thread share.
final class ServerCore: Sendable {
    let options: LocalServer.Options
    let mailbox: Mailbox
    let journal: Journal
    /// Keys and certificates; nil in clear.
    let tls: TLSMaterial?
    /// The link that the event thread was last told of.
    let link: Lock<LinkProfile?>

    init(options: LocalServer.Options) throws(LocalServer.StartError) {
        self.options = options
        let speaksHTTP2 = options.http2.isEnabled && HTTP2Session.isAvailable
        do throws(TLSError) {
            tls = try options.tls.map { options throws(TLSError) in try TLSMaterial(options, speaksHTTP2: speaksHTTP2) }
        } catch {
            throw .init(step: "set up TLS", errno: EPROTONOSUPPORT, reason: error.reason)
        }
        mailbox = try Mailbox()
        link = Lock(options.link)
        journal = Journal(limits: options.limits)
    }
}
