/// Guesses the route of a path: what stays when its identifiers are replaced.
package enum Route {
    /// A path with each segment that looks like an identifier as `:id`: `/books/4711` is of `/books/:id`.
    ///
    /// Pseudonyms count as identifiers, so that a redacted path has the same route. Only the first 64 segments are kept.
    package static func template(of path: some StringProtocol) -> String {
        let segments = path.split(separator: "/", maxSplits: 64, omittingEmptySubsequences: false)
        let shown = segments.prefix(64).map { Redactor.isIdentifier(Substring($0)) ? ":id" : String($0) }
        let text = shown.joined(separator: "/") + (segments.count > 64 ? "/…" : "")
        return text.isEmpty ? "/" : text
    }
}
