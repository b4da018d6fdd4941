import WeirServer

/// Lets pages of other origins read the answers (the Fetch standard, section 3.3).
enum CrossOrigin {
    /// The answer to a preflight request; nil for any other request.
    static func preflight(_ request: LocalServer.Request) -> LocalServer.Response? {
        guard request.method == "OPTIONS", let method = request.header("Access-Control-Request-Method") else {
            return nil
        }
        var response = LocalServer.Response(
            status: 204,
            headers: [("Access-Control-Allow-Methods", method), ("Access-Control-Max-Age", "600")])
        if let fields = request.header("Access-Control-Request-Headers") {
            response.headers.append(("Access-Control-Allow-Headers", fields))
        }
        return allow(response, request)
    }

    /// The answer with what lets the page that asked read it, its times and all its fields.
    static func allow(_ response: LocalServer.Response, _ request: LocalServer.Request) -> LocalServer.Response {
        guard let origin = request.header("Origin") else { return response }
        var response = response
        let own = ["access-control-allow-origin", "access-control-allow-credentials"]
        response.headers.removeAll { own.contains($0.0.lowercased()) }
        let names = Set(response.headers.map { $0.0.lowercased() }).sorted().joined(separator: ", ")
        response.headers += [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"),
            ("Timing-Allow-Origin", origin), ("Vary", "Origin"),
        ]
        // With credentials `*` would mean a field of that name.
        if !names.isEmpty { response.headers.append(("Access-Control-Expose-Headers", names)) }
        return response
    }
}
