import WeirModel

/// What one request and its response say of values that flow, when both have been looked through.
///
/// It is what waits until the exchanges of a unit can be put in order: small, and smaller after
/// ``removeLoose(from:sharing:)``.
package final class ExchangeEvidence: Sendable {
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
        func keeping(_ tables: inout PlaceTables, _ fits: (UInt64) -> Bool) -> Response? {
            let count = values.count { fits($0.hash) }
            if count == 0 { return nil }
            // Exactly as many as there are: what waits here waits in great numbers.
            var kept: [SourceValue] = []
            kept.reserveCapacity(count)
            for value in values where fits(value.hash) { kept.append(value) }
            var numbers = kept.map(\.place)
            let places = tables.shared(places.keeping(&numbers))
            for index in kept.indices { kept[index].place = numbers[index] }
            return Response(kept, places, headCount: values[..<headCount].count { fits($0.hash) })
        }
    }

    /// The request.
    package let request: RequestEvidence
    /// The response, where anything in it could be of use.
    package let response: Response?
    /// Whether all that could be of use was there and was looked at.
    package let isComplete: Bool

    private init(_ request: RequestEvidence, _ response: Response?, isComplete: Bool) {
        self.request = request
        self.response = response
        self.isComplete = isComplete
    }

    /// Joins both.
    ///
    /// - Parameter headCount: How many of the response's values are in its head.
    package convenience init(_ request: RequestEvidence, _ response: ResponseEvidence, headCount: Int) {
        let values = response.values
        self.init(
            request, values.isEmpty ? nil : Response(values, response.places.settled, headCount: headCount),
            isComplete: request.isComplete && response.isComplete)
    }

    private static let lookedThrough = nothing(isComplete: true)
    private static let notLookedThrough = nothing(isComplete: false)

    private static func nothing(isComplete: Bool) -> ExchangeEvidence {
        ExchangeEvidence(RequestEvidence(method: "GET", url: "", fields: []), nil, isComplete: isComplete)
    }

    /// How many values it holds.
    package var count: Int { request.values.count + (response?.values.count ?? 0) }

    /// The same without the response's values: not looked through.
    package var withoutResponse: ExchangeEvidence { ExchangeEvidence(request, nil, isComplete: false) }

    /// Drops what cannot make an edge: values that are in no request, or in no response, of all these exchanges.
    ///
    /// What is left leads to the same edges, if these are all the exchanges of a unit.
    ///
    /// - Parameter tables: The places of requests and responses, of which many have the same.
    /// - Returns: How many values were dropped.
    package static func removeLoose(
        from exchanges: inout [ExchangeEvidence?], sharing tables: inout PlaceTables
    ) -> Int {
        var asked = HashTable()
        var answered = HashTable()
        for exchange in exchanges {
            for value in exchange?.request.values ?? [] { _ = asked.insert(value.hash) }
            for value in exchange?.response?.values ?? [] { _ = answered.insert(value.hash) }
        }
        var dropped = 0
        for index in exchanges.indices {
            guard let exchange = exchanges[index] else { continue }
            var request = exchange.request
            request.keep(sharing: &tables) { answered.contains($0) }
            let kept = ExchangeEvidence(
                request, exchange.response?.keeping(&tables) { asked.contains($0) }, isComplete: exchange.isComplete)
            dropped += exchange.count - kept.count
            // Without a value it is neither end of any edge: one stands for all of them.
            exchanges[index] = kept.count > 0 ? kept : kept.isComplete ? lookedThrough : notLookedThrough
        }
        return dropped
    }
}
