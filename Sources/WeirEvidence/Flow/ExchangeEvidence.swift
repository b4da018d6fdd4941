/// What one request and its response say of values that flow, when both have been looked through.
///
/// It is what waits until the exchanges of a unit can be put in order: small, and smaller after ``removeLoose(from:)``.
package struct ExchangeEvidence: Sendable {
    /// The values of a response.
    package final class Response: Sendable {
        package let values: [SourceValue]
        package let places: PlaceTable
        /// How many of the values are in the head, which is there before the body.
        package let headCount: Int

        init(_ values: [SourceValue], _ places: PlaceTable, headCount: Int) {
            self.values = values
            self.places = places
            self.headCount = headCount
        }

        /// What fits of it; nil when nothing does.
        func keeping(_ fits: (UInt64) -> Bool) -> Response? {
            var kept = values.filter { fits($0.hash) }
            guard kept.count < values.count else { return self }
            if kept.isEmpty { return nil }
            var numbers = kept.map(\.place)
            let places = places.keeping(&numbers)
            for index in kept.indices { kept[index].place = numbers[index] }
            return Response(kept, places, headCount: values[..<headCount].count { fits($0.hash) })
        }
    }

    /// The request.
    package private(set) var request: RequestEvidence
    /// The response, where anything in it could be of use.
    package private(set) var response: Response?
    /// Whether all that could be of use was there and was looked at.
    package private(set) var isComplete: Bool

    /// Joins both.
    ///
    /// - Parameter headCount: How many of the response's values are in its head.
    package init(_ request: RequestEvidence, _ response: ResponseEvidence, headCount: Int) {
        self.request = request
        isComplete = request.isComplete && response.isComplete
        if !response.values.isEmpty {
            self.response = Response(response.values, response.places.settled, headCount: headCount)
        }
    }

    /// How many values it holds.
    package var count: Int { request.values.count + (response?.values.count ?? 0) }

    /// Drops the response's values, and counts as not looked through.
    package mutating func giveUp() {
        response = nil
        isComplete = false
    }

    /// Drops what cannot make an edge: values that are in no request, or in no response, of all these exchanges.
    ///
    /// What is left leads to the same edges, if these are all the exchanges of a unit.
    ///
    /// - Returns: How many values were dropped.
    package static func removeLoose(from exchanges: inout [ExchangeEvidence?]) -> Int {
        var asked = HashTable()
        var answered = HashTable()
        for exchange in exchanges {
            for value in exchange?.request.values ?? [] { _ = asked.insert(value.hash) }
            for value in exchange?.response?.values ?? [] { _ = answered.insert(value.hash) }
        }
        var dropped = 0
        for index in exchanges.indices {
            guard var exchange = exchanges[index] else { continue }
            let count = exchange.count
            exchange.request.keep { answered.contains($0) }
            if let response = exchange.response {
                exchange.response = response.keeping { asked.contains($0) }
            }
            dropped += count - exchange.count
            exchanges[index] = exchange
        }
        return dropped
    }
}
