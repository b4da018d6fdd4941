import Testing

@testable import WeirEvidence

@Suite struct PlaceTableTests {
    /// The places of a text's values, as `collect` names them.
    private func places(_ json: String, type: String = "application/json") -> [String] {
        var response = ResponseEvidence()
        response.body(contentType: type)
        Array(json.utf8).withUnsafeBytes { response.body($0) }
        response.end()
        return response.values.map { response.places.text(of: $0.place, indices: $0.indices) }
    }

    @Test func pathsAreNormalised() {
        #expect(places(#"[{"bookID":"b-2041"},{"bookID":"b-2058"}]"#) == ["$[0].bookID", "$[1].bookID"])
        #expect(places(#"{"a b":["x-12345"],"it's":"x-99999"}"#) == ["$['a b'][0]", #"$['it\'s']"#])
        #expect(places(#"{"a\u0001":"x-12345"}"#) == [#"$['a\u0001']"#])
        #expect(places("8841770") == ["$"])
    }

    @Test func eachPlaceOfAnArrayIsKeptOnceForAValue() {
        let found = places(#"[{"id":8841},{"id":8857},{"id":8841}]"#)
        #expect(found == ["$[0].id", "$[1].id"])
    }

    @Test func innermostIndicesAreKnown() {
        #expect(places(#"[[[[["x-12345"]]]]]"#) == ["$[*][*][0][0][0]"])
        #expect(places(#"[0,0,[0,"x-12345"]]"#) == ["$[2][1]"])
    }

    @Test func identifiersInKeysAreValues() {
        let found = places(#"{"books":{"b-2041":{"title":"x","isbn":"9780441478125"}}}"#)
        #expect(found == ["the key of $.books[*]", "$.books[*].isbn"])
    }

    @Test func linesAreCounted() {
        let found = places("{\"id\":8841}\n{\"id\":8857}\n", type: "application/x-ndjson")
        #expect(found == ["$.id in line 1", "$.id in line 2"])
    }

    @Test func eventsAreRead() {
        let found = places(
            "event: loan\ndata: {\"id\":8841}\n\n: id: 9\ndata:{\"id\":8857}\r\n\r\n", type: "text/event-stream")
        #expect(found == ["$.id in line 1", "$.id in line 2"])
    }

    @Test func manyPlacesShareOne() {
        let members = (0..<10_000).map { "\"k\(String($0, radix: 36))z\":\"x-\($0 + 10_000)\"" }.joined(separator: ",")
        let found = places("{\(members)}")
        #expect(found.count == 10_000)
        #expect(found.last == "a value")
    }
}
