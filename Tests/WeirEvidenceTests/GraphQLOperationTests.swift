import Foundation
import Testing
import WeirModel

@testable import WeirEvidence

@Suite struct GraphQLOperationTests {
    private func operation(_ body: String) -> UInt64? { GraphQLOperation.digest(ofBody: Data(body.utf8))?.rawValue }
    private func operation(query: String) -> UInt64? { GraphQLOperation.digest(ofQuery: query[...])?.rawValue }

    @Test func variablesDoNotCount() throws {
        let one = operation(
            #"{"operationName":"Book","query":"query Book($id: ID!) { book(id: $id) { title } }","variables":{"id":"b-1"}}"#
        )
        let two = operation(
            #"{ "variables" : {"id":"b-2","x":[{"}":1}]}, "query":"query Book($id: ID!) { book(id: $id) { title } }", "operationName":"Book" }"#
        )
        #expect(one != nil && one == two)
    }

    @Test func anotherNameOrQueryIsAnotherOperation() {
        let all = [
            operation(#"{"operationName":"A","query":"query A { a }"}"#),
            operation(#"{"operationName":"B","query":"query A { a }"}"#),
            operation(#"{"operationName":"A","query":"query A { b }"}"#),
            operation(
                #"{"operationName":"A","variables":{},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"aa"}}}"#
            ),
            operation(
                #"{"operationName":"A","variables":{},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab"}}}"#
            ),
            operation(#"{"doc_id":"1234","variables":{}}"#), operation(#"{"query":"\n  { me { name } }"}"#),
            operation(#"{"query":"mutation { renew }"}"#),
        ]
        #expect(!all.contains(nil))
        #expect(Set(all).count == all.count)
    }

    @Test(arguments: [
        "", "[]", "{", "{}", #"{"query":"harbour"}"#, #"{"query":12}"#, #"{"query":"{"#, #"{"query"}"#, #"{"a":[}"#,
        #"{"query":"query","variables":{}}"#, "query { me }", #"{"variables":{"id":1}}"#, #"{"extensions":{}}"#,
    ])
    func whatIsNone(_ body: String) {
        #expect(operation(body) == nil)
    }

    @Test func overGET() {
        let one = operation(query: "query=query%20A%20%7B%20a%20%7D&variables=%7B%22id%22%3A1%7D")
        #expect(one != nil && one == operation(query: "query=query%20A%20%7B%20a%20%7D&variables=%7B%22id%22%3A2%7D"))
        #expect(operation(query: "operationName=A&extensions=%7B%22persistedQuery%22%7D&variables=%7B%7D") != nil)
        #expect(operation(query: "query=harbour&page=2") == nil)
        #expect(GraphQLOperation.digest(ofQuery: nil) == nil)
    }

    @Test func everyPrefixIsReadWithoutTrapping() {
        let body = Array(
            #"{"operationName":"A\"","query":"query A { \\ a }","variables":{"x":[1,{"y":"]"}]},"extensions":{}}"#.utf8)
        for end in 0...body.count { _ = GraphQLOperation.digest(ofBody: Data(body[..<end])) }
    }
}
