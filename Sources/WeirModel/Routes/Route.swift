/// Guesses the route of a path: what stays when its identifiers are replaced.
package enum Route {
    /// A path with each segment that looks like an identifier as `:id`: `/books/4711` is of `/books/:id`.
    ///
    /// So is somebody's name by what stands before it: `/users/ann` is of `/users/:id`. Pseudonyms count as identifiers, so
    /// that a redacted path has the same route. Only the first 64 segments are kept.
    package static func template(of path: some StringProtocol) -> String {
        let segments = path.split(separator: "/", maxSplits: 64, omittingEmptySubsequences: false)
        var previous: Substring = ""
        let shown = segments.prefix(64).map { segment in
            defer { previous = Substring(segment) }
            return Redactor.isPersonal(Substring(segment), after: previous) ? ":id" : String(segment)
        }
        let text = shown.joined(separator: "/") + (segments.count > 64 ? "/…" : "")
        return text.isEmpty ? "/" : text
    }
}
