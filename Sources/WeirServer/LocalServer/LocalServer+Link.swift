import Synchronization
public import WeirModel

extension LocalServer {
    /// The simulated link that all connections share; nil for none.
    ///
    /// It can be changed at any time: what is on its way arrives when it would have, what is sent from then on goes over the
    /// new link.
    /// - Handshakes: this machine's kernel opens connections by itself, in no time. So what TCP's handshake takes on the link is
    ///   charged to the first exchange: a client sees it as part of the TLS handshake, or of the time to the first byte.
    /// - Loss: a lost segment is late by as long as TCP waits before it sends it again, and holds up what follows it.
    /// - Time in the journal is the server's: an answer is written when it is in the sender's buffer, which takes twice what the
    ///   link holds, 64 KiB at least and 4 MiB at most.
    public var link: LinkProfile? {
        get { core.link.withLock { $0 } }
        set {
            // Under the lock, so that the last one set is the last one that the thread hears of.
            core.link.withLock { link in
                link = newValue
                core.mailbox.post(.link(newValue))
            }
        }
    }
}
