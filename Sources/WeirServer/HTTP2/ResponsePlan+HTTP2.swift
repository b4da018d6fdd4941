extension ResponsePlan {
    /// The plan for HTTP/2: heads and trailers as fields, the body as bytes that get their frames when they are sent.
    static func framedAsHTTP2(
        _ response: LocalServer.Response, _ body: BodySummary, _ steps: [Step], for request: RequestContext,
        date: String
    ) throws(UnsendableResponse) -> ResponsePlan {
        let head = try ResponseHead(response, body: body, request: request, date: date)
        var plan = ResponsePlan(steps: steps, status: response.status, closes: head.closes)
        plan.steps.append(.head(head.block, isFinal: true))
        guard head.sendsBody else { return plan }
        for piece in response.body {
            switch piece.kind {
            case .bytes(let bytes): if !bytes.isEmpty { plan.steps.append(.write(bytes)) }
            case .raw(let bytes): plan.steps.append(.raw(bytes))
            case .pause(let duration): plan.steps.append(.pause(duration))
            case .stream(let produce):
                let length = head.length.map { $0 - body.byteCount }
                plan.steps.append(.framedStream(BodyFeed(length: length, produce)))
            case .reset: plan.steps.append(.reset)
            // INTERNAL_ERROR: an answer that could not be completed.
            case .close: plan.steps.append(.resetStream(2))
            case .resetStream(let code): plan.steps.append(.resetStream(code))
            case .goAway(let code, let servesThis): plan.steps.append(.goAway(code, servesThis: servesThis))
            }
        }
        if !response.trailers.isEmpty {
            var block = FieldBlock()
            for (name, value) in response.trailers { block.append(name, value) }
            plan.steps.append(.trailers(block))
        }
        return plan
    }
}
