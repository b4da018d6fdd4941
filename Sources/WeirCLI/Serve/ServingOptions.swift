import Foundation
import WeirModel
import WeirReports
import WeirServer

/// The options of the commands that serve: where, over which link, with TLS or without, and how much they print.
struct ServingOptions: Sendable {
    private static let port = Option.value("port", "PORT", "The port of 127.0.0.1; else a free one")
    private static let tls = Option.flag("tls", "Speak TLS, with a certificate of an authority made at the start")
    private static let authority = Option.value(
        "authority", "FILE", "Write that authority's certificate to FILE, for clients to trust; implies --tls",
        completion: .file)
    private static let quiet = Option.flag("quiet", "Print the URL and the summary only")

    static let options = LinkOption.options + [port, tls, authority, quiet]

    let isQuiet: Bool
    private let link: LinkOption
    private let port: UInt16
    let isSecure: Bool
    private let authority: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        link = try LinkOption(arguments)
        port = UInt16(try arguments.number(Self.port, in: 0...65_535) ?? 0)
        authority = arguments.text(Self.authority)
        isSecure = arguments.has(Self.tls) || authority != nil
        isQuiet = arguments.has(Self.quiet)
    }

    /// What the server is started with.
    var serverOptions: LocalServer.Options {
        var options = LocalServer.Options()
        options.port = port
        options.link = link.profile
        options.linkSeed = link.seed
        options.limits.journalBodyBytes = 1 << 20
        if isSecure { options.tls = .generated }
        return options
    }

    /// Prints the URL on a line of its own, and to the errors what is served over what.
    func announce(_ server: LocalServer, _ what: String, _ context: Context) throws(CommandFailure) {
        if let authority, let certificate = server.certificateAuthority {
            var file = try ReplacedFile(path: authority, isPrivate: false, inputs: [])
            try file.write(certificate.pem)
            try file.commit()
        }
        context.output.write("\(server.baseURL.absoluteString)\n")
        context.output.flush()
        if !isQuiet { context.errors.write("weir: \(what)\(link.note ?? "")\n") }
    }
}
