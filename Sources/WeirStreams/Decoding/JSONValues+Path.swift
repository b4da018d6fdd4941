import Foundation

// Coding paths are made when they are wanted: a node knows what it is in. The keys are the text's; those of types are put in their
// place on the way of an error through the containers.
extension JSONValues {
    /// The path to a value.
    @inline(never)
    func codingPath(_ node: UInt32) -> [any CodingKey] {
        var nodes: [UInt32] = []
        var node = node
        while node > JSONDocument.root {
            nodes.append(node)
            node = self[node].parent
        }
        var path: [any CodingKey] = []
        for node in nodes.reversed() {
            let parent = self[node].parent
            if kind(parent) == .array {
                path.append(JSONCodingKey(index: Int(self[node].ordinal)))
            } else {
                let name = (try? string(node - 1)) ?? String(decoding: bytes(node - 1), as: UTF8.self)
                path.append(JSONCodingKey(stringValue: self[parent].isConverted ? converted(name, path) : name))
            }
        }
        return path
    }

    /// How many keys the path to a value has.
    private func depth(_ node: UInt32) -> Int {
        var depth = 0
        var node = node
        while node > JSONDocument.root {
            depth += 1
            node = self[node].parent
        }
        return depth
    }

    /// What the strategy makes of a name in an object.
    ///
    /// - Parameter path: The path to the object.
    func converted(_ name: String, _ path: [any CodingKey]) -> String {
        switch options.keys {
        case .convertFromSnakeCase: SnakeCase.converted(name)
        case .custom(let convert): convert(path + [JSONCodingKey(stringValue: name)]).stringValue
        default: name
        }
    }

    /// The error with the key with which a type has asked for a value.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - key: The type's key.
    @inline(never)
    func naming(_ error: any Error, _ node: UInt32, _ key: some CodingKey) -> any Error {
        guard let error = error as? DecodingError else { return error }
        let place = depth(node) - 1
        func named(_ context: DecodingError.Context) -> DecodingError.Context {
            guard place >= 0, place < context.codingPath.count,
                context.codingPath[place].stringValue == key.stringValue
            else { return context }
            var path = context.codingPath
            path[place] = key
            return DecodingError.Context(
                codingPath: path, debugDescription: context.debugDescription, underlyingError: context.underlyingError)
        }
        switch error {
        case .typeMismatch(let type, let context): return DecodingError.typeMismatch(type, named(context))
        case .valueNotFound(let type, let context): return DecodingError.valueNotFound(type, named(context))
        case .keyNotFound(let missing, let context): return DecodingError.keyNotFound(missing, named(context))
        case .dataCorrupted(let context): return DecodingError.dataCorrupted(named(context))
        @unknown default: return error
        }
    }
}
