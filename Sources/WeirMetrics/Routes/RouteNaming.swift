public import WeirModel

/// How requests get the name of a route, under which their times are put together.
public struct RouteNaming: Sendable {
    /// What happens to a path that none of the app's templates matches.
    public enum Fallback: Sendable, Hashable {
        /// It gets a route by the automatic rules.
        case automatic
        /// It goes to the route `(unmatched)`.
        case unmatched
    }

    enum Rule: Sendable {
        case templates(RouteMatcher, Fallback)
        case custom(@Sendable (RequestURL) -> String)
    }

    /// The route of requests that got a 404 and whose path is of no route that is known otherwise, and of those that no template matches
    /// where there are no automatic rules.
    public static let unmatched = "(unmatched)"
    /// The route of requests for which there was no room.
    public static let other = "(other)"

    let rule: Rule
    var wordLimit = 50

    /// By the app's templates; the most specific one that matches gives the name, which is its text.
    ///
    /// - Parameters:
    ///   - templates: Such as `books/:id`, `files/*/raw` (one segment) and `static/**` (any number); see ``RouteTemplate``.
    ///   - fallback: What happens to a path that none matches.
    public static func template(_ templates: [String], otherwise fallback: Fallback = .automatic) -> RouteNaming {
        RouteNaming(rule: .templates(RouteMatcher(templates.map(RouteTemplate.init)), fallback))
    }

    /// By rules that look at each segment of the path.
    ///
    /// Numbers, UUIDs, hexadecimal and long tokens become `:id`, dates `:date`, e-mail addresses `:email`; versions (`v1`) and the extensions of
    /// files survive. Where more than 50 distinct words follow one prefix they are taken for values, and all become `:id`.
    public static var automatic: RouteNaming { template([]) }

    /// By a function of the app: it must give few names, without identifiers in them.
    ///
    /// Its answers are remembered by URL, so equal URLs must have equal names. Names beyond 2 000 become `(other)`.
    public static func custom(_ name: @escaping @Sendable (RequestURL) -> String) -> RouteNaming {
        RouteNaming(rule: .custom(name))
    }

    /// The same with another limit on the distinct words that may follow one prefix.
    ///
    /// - Parameter limit: 1 or more.
    public func folding(over limit: Int) -> RouteNaming {
        var result = self
        result.wordLimit = max(1, limit)
        return result
    }
}
