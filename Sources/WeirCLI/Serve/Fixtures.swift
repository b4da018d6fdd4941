import WeirServer

/// What a server has to say.
protocol Fixtures: Sendable {
    /// The answer to a request; off the server's own thread, so that it may read files.
    @concurrent func answer(_ request: LocalServer.Request) async -> LocalServer.Response

    /// What it serves, in a few words, for the first lines of the output.
    var summary: String { get }
}

extension LocalServer.Response {
    /// An answer that says what is wrong, in a sentence.
    static func problem(_ status: Int, _ sentence: String) -> Self {
        LocalServer.Response.text(sentence + "\n", status: status).adding("Cache-Control", "no-store")
    }
}

/// A file's identity and state: another one was written when it differs.
struct FileStamp: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var seconds: Int64
    var nanoseconds: Int64
}
