/// What the public handle and the event thread share.
final class ServerCore: Sendable {
    let options: LocalServer.Options
    let mailbox: Mailbox
    let journal: Journal

    init(options: LocalServer.Options) throws(LocalServer.StartError) {
        self.options = options
        mailbox = try Mailbox()
        journal = Journal(limits: options.limits)
    }
}
