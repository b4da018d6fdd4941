/// Where a value stands in a request.
struct RequestPlace: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case url
        case path
        /// A segment of the path, from 1; `isLast` for the last one.
        case segment(Int, isLast: Bool)
        case query
        case form
        /// A scalar of the JSON in the body.
        case body
        /// A scalar of the JSON in a query parameter or a form field.
        case nested
        case text
        case cookie
        case header
    }

    var kind: Kind
    /// The name of the parameter, the field or the cookie; a path for JSON.
    var name = ""
    /// What that name says.
    var traits = KeyTraits()
    /// What it is about: the noun of its name or of what is around it; 0 if nothing says so.
    var noun: UInt32 = 0

    /// The place as text, to stand after "is".
    var text: String {
        switch kind {
        case .url: "the URL"
        case .path: "the path"
        case .segment(_, isLast: true): "the last path segment"
        case .segment(let number, _): "path segment \(number)"
        case .query: "the query parameter \(name)"
        case .form: "the form field \(name)"
        case .body: "\(name) of the body"
        case .nested: "in \(name)"
        case .text: "the body"
        case .cookie: "the cookie \(name)"
        case .header: "the \(name) header"
        }
    }

    /// Whether it is a place at which an identifier is expected.
    var takesIdentifiers: Bool {
        switch kind {
        case .segment, .url, .path: true
        default: traits.flags.contains(.identifies)
        }
    }
}

/// A value in a request.
struct RequestValue: Sendable {
    var hash: UInt64
    /// An index into the request's places.
    var place: Int32
    /// Whether it was decoded from what stands there, or is a part of it.
    var isDerived = false
    /// Whether it is a cookie's name and value.
    var isCookie = false
}
