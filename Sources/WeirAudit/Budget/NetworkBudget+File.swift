public import Foundation

extension NetworkBudget {
    /// Why a budget file cannot be used: where, and what is wrong there.
    public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The place in the document, such as `hosts.api.example.com.maxRequests`; empty for the whole.
        public let place: String
        /// What is wrong, as a sentence.
        public let problem: String

        package init(place: String, problem: String) {
            self.place = place
            self.problem = problem
        }

        /// Place and problem.
        public var description: String { place.isEmpty ? problem : "\(place): \(problem)" }
    }

    /// Reads a budget from a JSON document.
    ///
    /// - Throws: ``FileError`` for what is not JSON, unknown keys, wrong types, wrong units, and numbers that cannot be
    ///   a limit.
    public init(json: Data) throws(FileError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch let error as DecodingError {
            throw FileError(error)
        } catch {
            throw FileError(place: "", problem: "\(error)")
        }
    }
}

extension NetworkBudget.FileError {
    fileprivate init(_ error: DecodingError) {
        let context: DecodingError.Context
        var problem: String
        switch error {
        case .typeMismatch(let type, let inner):
            context = inner
            problem = "must be \(type is any Collection.Type ? "an object" : "\(type)")."
        case .valueNotFound(_, let inner):
            context = inner
            problem = "must not be null."
        case .keyNotFound(let key, let inner):
            context = inner
            problem = "lacks \"\(key.stringValue)\"."
        case .dataCorrupted(let inner):
            context = inner
            problem = inner.debugDescription
        @unknown default:
            self.init(place: "", problem: "\(error)")
            return
        }
        if context.codingPath.isEmpty, case .dataCorrupted = error {
            // Foundation's own words say where the text stops being JSON.
            let reason = (context.underlyingError as? NSError)?.userInfo[NSDebugDescriptionErrorKey] as? String
            problem = "The budget is not JSON: \(reason ?? context.debugDescription)"
        }
        self.init(
            place: context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."),
            problem: problem)
    }
}
