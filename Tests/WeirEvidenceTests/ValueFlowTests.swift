import Foundation
import Testing
import WeirModel

@testable import WeirEvidence

/// A unit of work in short: requests and responses, one after the other.
private struct Screen {
    var flow: ValueFlow
    private var last: TaskRecord.ID = 0

    init(limits: ValueFlow.Limits = .init()) { flow = ValueFlow(limits: limits) }

    /// A task begins and its response arrives, unless it has none.
    @discardableResult
    mutating func load(
        _ url: String, method: String = "GET", fields: [(String, String)] = [], body: String? = nil,
        bodyType: String = "application/json", gives answer: String? = nil, type: String = "application/json",
        with head: [(String, String)] = []
    ) -> [TaskRecord.Edge] {
        last += 1
        let edges = begin(last, url, method: method, fields: fields, body: body, bodyType: bodyType)
        receive(last, answer, type: type, with: head)
        return edges
    }

    mutating func begin(
        _ id: TaskRecord.ID, _ url: String, method: String = "GET", fields: [(String, String)] = [],
        body: String? = nil,
        bodyType: String = "application/json"
    ) -> [TaskRecord.Edge] {
        last = max(last, id)
        var all = fields.map { HeaderField(name: $0.0, value: $0.1) }
        if body != nil { all.append(HeaderField(name: "Content-Type", value: bodyType)) }
        return flow.begin(
            id,
            RequestEvidence(
                method: method, url: RequestURL(url.hasPrefix("http") ? url : "https://api.example.org" + url),
                fields: all,
                body: body.map { .data(Data($0.utf8)) } ?? .none))
    }

    mutating func receive(
        _ id: TaskRecord.ID, _ answer: String?, type: String = "application/json", with head: [(String, String)] = []
    ) {
        var response = ResponseEvidence()
        response.head(
            fields: head.map { HeaderField(name: $0.0, value: $0.1) } + [HeaderField(name: "Content-Type", value: type)]
        )
        if let answer { Array(answer.utf8).withUnsafeBytes { response.body($0) } }
        response.end()
        flow.receive(id, response.values, places: response.places)
    }
}

extension TaskRecord.Edge {
    fileprivate var sentence: String { "\(grade) \(kind): \(sourcePlace) of #\(source) is \(targetPlace)" }
}

@Suite struct ValueFlowTests {
    // MARK: What flows

    @Test(arguments: [
        (
            #"[{"bookID":"b-2041"},{"bookID":"b-2058"}]"#, "/books/b-2058",
            "certain valueFlow: $[1].bookID of #1 is the last path segment"
        ),
        (#"{"id":8841}"#, "/loans/8841/items", "certain valueFlow: $.id of #1 is path segment 2"),
        (#"{"id":8841.0}"#, "/loans/8841", "certain valueFlow: $.id of #1 is the last path segment"),
        (#"{"id":"8841"}"#, "/loans/8841", "certain valueFlow: $.id of #1 is the last path segment"),
        (
            #"{"user_id":10432}"#, "/search?user_id=10432",
            "certain valueFlow: $.user_id of #1 is the query parameter user_id"
        ),
        (#"{"authorId":10432}"#, "/people/10432", "likely valueFlow: $.authorId of #1 is the last path segment"),
        (
            #"{"uuid":"3f2504e0-4f89-11d3-9a0c-0305e82c3301"}"#, "/x?y=3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "certain valueFlow: $.uuid of #1 is the query parameter y"
        ),
        (
            #"[{"slug":"the-left-hand-of-darkness"}]"#, "/books/the-left-hand-of-darkness",
            "likely valueFlow: $[0].slug of #1 is the last path segment"
        ),
        (
            #"{"users":[{"login":"alice"}]}"#, "/users/alice",
            "likely valueFlow: $.users[0].login of #1 is the last path segment"
        ),
        (
            #"{"cover":"https://cdn.example.org/c/8841.jpg"}"#, "https://cdn.example.org/c/8841.jpg",
            "certain valueFlow: $.cover of #1 is the URL"
        ),
        (
            #"{"cover":"/c/8841.jpg"}"#, "https://cdn.example.org/w500/c/8841.jpg",
            "certain valueFlow: $.cover of #1 is the path"
        ),
        (
            #"{"book":{"id":8841770}}"#, "/covers/8841770.jpg",
            "likely valueFlow: $.book.id of #1 is the last path segment"
        ),
        (
            #"{"lat":51.50735,"lon":-0.12776}"#, "/weather?lat=51.50735&lon=-0.12776",
            "likely valueFlow: $.lat of #1 is the query parameter lat"
        ),
        (
            #"{"q":"x/y&z-12345678"}"#, "/s?q=x%2Fy%26z-12345678",
            "likely valueFlow: $.q of #1 is the query parameter q"
        ),
        (
            #"{"ids":[8841,8857]}"#, "/loans?ids=8841,8857",
            "certain valueFlow: $.ids[0] of #1 is the query parameter ids"
        ),
        (#"{"loan":{"id":8841}}"#, "/odata/Loans(8841)", "likely valueFlow: $.loan.id of #1 is the last path segment"),
        (
            #"{"id":"VXNlcjoxMDQzMg=="}"#, "/users/10432",
            "likely valueFlow: $.id (decoded) of #1 is the last path segment"
        ),
        (
            #"{"user":{"id":10432}}"#, "/node?id=VXNlcjoxMDQzMg%3D%3D",
            "likely valueFlow: $.user.id of #1 is the query parameter id"
        ),
        (
            #"{"books":{"b-2041":{"x":1}}}"#, "/books/b-2041",
            "certain valueFlow: the key of $.books[*] of #1 is the last path segment"
        ),
        (
            #"{"loan":{"id":8841}}"#, "/search?filter=%7B%22loanId%22%3A8841%7D",
            "certain valueFlow: $.loan.id of #1 is in the query parameter filter"
        ),
    ])
    func valuesFlow(_ answer: String, _ url: String, _ expected: String) {
        var screen = Screen()
        screen.load("/loans", gives: answer)
        #expect(screen.load(url).map(\.sentence) == [expected])
    }

    @Test func bodiesAndFieldsCarryValues() {
        var screen = Screen()
        screen.load("/loans", gives: #"{"loan":{"id":8841,"copy":"c-77120"},"csrfToken":"Zk3lQ9aXw0pT5mVd"}"#)
        #expect(
            screen.load("/graphql", method: "POST", body: #"{"query":"query Q{}","variables":{"loanId":8841}}"#)
                .map(\.sentence) == ["certain valueFlow: $.loan.id of #1 is $.variables.loanId of the body"])
        #expect(
            screen.load(
                "/renew", method: "POST", body: "copy=c-77120&x=1", bodyType: "application/x-www-form-urlencoded"
            ).map(\.sentence) == ["possible valueFlow: $.loan.copy of #1 is the form field copy"])
        #expect(
            screen.load("/renew", method: "POST", fields: [("X-CSRF-Token", "Zk3lQ9aXw0pT5mVd")]).map(\.sentence)
                == ["certain valueFlow: $.csrfToken of #1 is the X-CSRF-Token header"])
    }

    @Test func tokensFlow() {
        var screen = Screen()
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1LTEwNDMiLCJhIjoxfQ.c2lnbmF0dXJl"
        screen.load(
            "/oauth/token", method: "POST", body: #"{"user":"edith"}"#, gives: "{\"access_token\":\"\(token)\"}")
        for _ in 0..<2 {
            #expect(
                screen.load("/loans", fields: [("Authorization", "Bearer \(token)")]).map(\.sentence)
                    == ["certain valueFlow: $.access_token of #1 is the Authorization header"])
        }
        #expect(
            screen.load("/users/u-1043").map(\.sentence)
                == ["likely valueFlow: $.access_token (decoded) of #1 is the last path segment"]
                || screen.load("/users/u-1043").isEmpty == false)
    }

    @Test func headersAreSources() {
        var screen = Screen()
        screen.load(
            "/loans", method: "POST", body: "{}",
            with: [
                ("Location", "/loans/8841"), ("X-Session-Token", "Zk3lQ9aXw0pT5mVd"), ("ETag", "\"Zk3lQ9aXw0pT5mVe\""),
            ])
        #expect(screen.load("/loans/8841").map(\.sentence) == ["certain valueFlow: Location of #1 is the URL"])
        #expect(
            screen.load("/x", fields: [("X-Session-Token", "Zk3lQ9aXw0pT5mVd")]).map(\.sentence)
                == ["certain valueFlow: the X-Session-Token header of #1 is the X-Session-Token header"])
        #expect(screen.load("/y", fields: [("If-None-Match", "\"Zk3lQ9aXw0pT5mVe\"")]).isEmpty)
    }

    @Test func onlyTheCookiesOfSigningInAreDependencies() {
        let cookie = [("Set-Cookie", "sid=Zk3lQ9aXw0pT5mVd; Path=/; HttpOnly")]
        let sent = [("Cookie", "a=b; sid=Zk3lQ9aXw0pT5mVd")]
        func grades(_ url: String, _ method: String, then target: String) -> [TaskRecord.Edge.Grade] {
            var screen = Screen()
            screen.load(url, method: method, with: cookie)
            return screen.load(target, fields: sent).map(\.grade)
        }
        #expect(grades("/login", "POST", then: "/me") == [.certain])
        #expect(grades("/basket", "POST", then: "/me") == [.likely])
        #expect(grades("/", "GET", then: "/me") == [.possible])
        #expect(grades("/login", "POST", then: "/logo.png") == [.possible])
    }

    @Test func aPlainTextIsOneValue() {
        var screen = Screen()
        screen.load("/csrf", gives: "Zk3lQ9aXw0pT5mVd\n", type: "text/plain")
        #expect(
            screen.load("/x", fields: [("X-CSRF", "Zk3lQ9aXw0pT5mVd")]).map(\.sentence)
                == ["certain valueFlow: the body of #1 is the X-CSRF header"])
    }

    // MARK: Guard rails

    @Test(arguments: [
        (#"{"page":2,"n":true,"e":"","z":0}"#, "/loans?page=2&n=true&e=&z=0"),
        (#"{"total":2026,"count":1000}"#, "/loans/2026/1000"),
        (#"{"country":"DE","language":"en","currency":"EUR"}"#, "/prices?country=DE&language=en&currency=EUR"),
        (#"{"status":"available","kind":"NOT_STARTED"}"#, "/loans?status=available&kind=NOT_STARTED"),
        (#"{"section":"settings"}"#, "/users/settings"),
        (#"{"due":"2026-12-10"}"#, "/calendar/2026-12-10?day=2026-12-10"),
        (#"{"type":"application/json","charset":"utf-8"}"#, "/x?type=application%2Fjson&charset=utf-8"),
        (#"{"price":12.99}"#, "/offers?price=12.99"),
        (#"{"name":"Harbour library"}"#, "/search?q=Harbour+library"),
        (#"{"next_offset":2000,"limit":1500}"#, "/loans?offset=2000&limit=1500"),
        (#"{"title":"x","note":null}"#, "/null/x"),
    ])
    func commonValuesAreNoEvidence(_ answer: String, _ url: String) {
        var screen = Screen()
        screen.load("/loans", gives: answer)
        #expect(screen.load(url).filter { $0.grade > .possible }.map(\.sentence) == [])
        #expect(screen.load(url).isEmpty)
    }

    @Test func smallIdentifiersArePossibleWhereBothEndsNameTheThing() {
        var screen = Screen()
        screen.load("/me", gives: #"{"user":{"id":7},"count":9}"#)
        #expect(screen.load("/users/7").map(\.grade) == [.possible])
        #expect(screen.load("/books/7").isEmpty)
        #expect(screen.load("/users/9").isEmpty)
    }

    @Test func aCountIsNoIdentifier() {
        var screen = Screen()
        screen.load("/library", gives: #"{"loans":8841}"#)
        #expect(screen.load("/loans/8841").map(\.grade) == [.possible])
    }

    @Test func anEchoIsNoSource() {
        var screen = Screen()
        screen.load("/books/b-2041", gives: #"{"id":"b-2041","author":"a-77120"}"#)
        #expect(screen.load("/reviews/b-2041").isEmpty)
        #expect(screen.load("/authors/a-77120").map(\.source) == [1])
    }

    @Test func whatTheAppKnewBeforeIsNoEvidence() {
        var screen = Screen()
        screen.load("/config?device=d-8841770")
        screen.load("/me", gives: #"{"device":"d-8841770","id":"u-1043"}"#)
        #expect(screen.load("/devices/d-8841770").isEmpty)
    }

    @Test func onlyWhatHasArrivedCanBeUsed() {
        var screen = Screen()
        _ = screen.begin(1, "/loans")
        #expect(screen.begin(2, "/books/b-2041").isEmpty)
        screen.receive(1, #"[{"bookID":"b-2041"}]"#)
        #expect(screen.begin(3, "/books/b-2041").isEmpty, "known since the second request")
    }

    @Test func theResponseInWhichItWasFirstKnownIsTheSource() {
        var screen = Screen()
        screen.load("/orders", gives: #"[{"id":8841,"customerId":"c-77120"}]"#)
        screen.load("/orders/8841", gives: #"{"id":8841,"customerId":"c-77120"}"#)
        #expect(
            screen.load("/customers/c-77120").map(\.sentence) == [
                "likely valueFlow: $[0].customerId of #1 is the last path segment",
                "possible valueFlow: $.customerId of #2 is the last path segment",
            ])
        // Later users of the value have the same source.
        #expect(screen.load("/customers/c-77120/loans").first?.source == 1)
    }

    @Test func theBetterNameWinsOverTheEarlierResponse() {
        var screen = Screen()
        screen.load("/stats", gives: #"{"visits":8841}"#)
        screen.load("/orders", gives: #"[{"id":8841}]"#)
        #expect(
            screen.load("/orders/8841").map(\.sentence) == ["certain valueFlow: $[0].id of #2 is the last path segment"]
        )
    }

    @Test func aResourceFetchedTwiceIsOneSource() {
        var screen = Screen()
        screen.load("/me", gives: #"{"userID":"u-1043"}"#)
        screen.load("/me", gives: #"{"userID":"u-1043"}"#)
        #expect(
            screen.load("/users/u-1043").map(\.sentence) == [
                "certain valueFlow: $.userID of #1 is the last path segment"
            ])
    }

    @Test func whatIsEverywhereSaysNothing() {
        var screen = Screen()
        let tenant = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
        for index in 0..<5 { screen.load("/part\(index)", gives: "{\"tenantId\":\"\(tenant)\",\"ref\":\"r-2041\"}") }
        #expect(screen.load("/tenants/\(tenant)").map(\.grade) == [.possible])
        #expect(screen.load("/refs/r-2041").isEmpty)
    }

    @Test func redirectsWithinATaskAreNoEdges() {
        var screen = Screen()
        _ = screen.begin(1, "/old")
        screen.receive(1, nil, with: [("Location", "/loans/8841770")])
        screen.flow.follow(
            1, RequestEvidence(method: "GET", url: "https://api.example.org/loans/8841770", fields: []))
        screen.receive(1, #"{"id":8841770,"copy":"c-77120"}"#)
        // The value was received by the first task, though its second request carried it.
        #expect(screen.begin(2, "/loans/8841770/items").map(\.source) == [1])
    }

    // MARK: Pagination

    @Test(arguments: [
        (#"{"nextCursor":"b2Zmc2V0PTQw"}"#, "/loans?cursor=b2Zmc2V0PTQw"),
        (#"{"meta":{"next_page_token":"x8841"}}"#, "/loans?pageToken=x8841"),
        (#"{"next":"https://api.example.org/loans?cursor=x8841"}"#, "/loans?cursor=x8841"),
        (#"{"next":"/loans?cursor=x8841"}"#, "/loans?cursor=x8841&limit=20"),
        (#"{"data":[{"id":"ch_8841"},{"id":"ch_8857"}]}"#, "/loans?starting_after=ch_8857"),
    ])
    func cursorsAreSerial(_ answer: String, _ url: String) {
        var screen = Screen()
        screen.load("/loans", gives: answer)
        let edges = screen.load(url)
        #expect(edges.map(\.kind) == [.cursor])
        #expect(edges.allSatisfy { $0.grade >= .likely })
    }

    @Test func linksToTheNextPageAreSerial() {
        var screen = Screen()
        screen.load(
            "/loans", with: [("Link", "<https://api.example.org/loans?after=x8841>; rel=\"next\", </loans>; rel=first")]
        )
        #expect(
            screen.load("/loans?after=x8841").map(\.sentence) == ["certain cursor: Link rel=next of #1 is the URL"])
    }

    @Test func pagesByNumberAreNot() {
        var screen = Screen()
        screen.load("/loans", gives: #"{"page":1,"pages":9,"next_offset":4000}"#)
        #expect(screen.load("/loans?page=2").isEmpty)
        #expect(screen.load("/loans?offset=4000").isEmpty)
        screen.load("/books", with: [("Link", "<https://api.example.org/books?page=2>; rel=\"next\"")])
        #expect(screen.load("/books?page=2").allSatisfy { $0.grade == .possible })
    }

    // MARK: Limits

    @Test func whatIsOverTheLimitIsReported() {
        var limits = ValueFlow.Limits()
        limits.values = 2
        var screen = Screen(limits: limits)
        screen.load("/loans", gives: #"[{"id":8841},{"id":8857},{"id":8873}]"#)
        #expect(screen.flow.dropped == 1)
        #expect(!screen.flow.isComplete(1))
        #expect(screen.load("/loans/8841").map(\.grade) == [.certain])
        #expect(screen.flow.isComplete(2))
        #expect(screen.load("/loans/8873").isEmpty)
    }
}
