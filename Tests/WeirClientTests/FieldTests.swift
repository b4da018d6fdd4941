import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct FieldTests {
    /// The fields that arrive at the server, without Host.
    private func fields(
        _ configuration: HTTPSession.Configuration = .init(), _ adjust: (inout URLRequest) -> Void = { _ in }
    ) async throws -> [String: [String]] {
        try await withSession(configuration) { _ in
            .text("")
        } _: { session, server, recorder in
            var request = URLRequest(url: server.baseURL)
            adjust(&request)
            _ = try await session.data(for: request)
            let sent = try #require(server.requests.first?.request.headers)
            #expect(sent.filter { $0.name.lowercased() == "host" }.count == 1)
            let kept = try #require(recorder.records.first?.outcome?.request.headerFields)
            for field in kept { #expect(sent.contains { $0.name == field.name && $0.value == field.value }) }
            return Dictionary(grouping: sent.filter { $0.name.lowercased() != "host" }, by: \.name).mapValues {
                $0.map(\.value)
            }
        }
    }

    @Test func defaults() async throws {
        let expected = ["Accept": ["*/*"], "Accept-Encoding": ["gzip, deflate, br, zstd"], "User-Agent": ["Weir"]]
        #expect(try await fields() == expected)
    }

    /// What has no body has no form's type.
    @Test(arguments: ["POST", "PUT", "PATCH"]) func nothingIsSaidOfABodyThatIsNone(method: String) async throws {
        let sent = try await fields { $0.httpMethod = method }
        #expect(sent["Content-Type"] == nil && sent["Expect"] == nil)
        #expect(sent["Content-Length"] == ["0"] && sent["Accept"] == ["*/*"])
    }

    /// For passing requests on.
    @Test func nothingIsAddedOnRequest() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.sendsOnlyGivenFields = true
        #expect(try await fields(configuration).isEmpty)
        #expect(try await fields(configuration) { $0.setValue("b", forHTTPHeaderField: "X-A") } == ["X-A": ["b"]])
        let posted = try await fields(configuration) {
            $0.httpMethod = "POST"
            $0.httpBody = Data("abc".utf8)
        }
        #expect(posted == ["Content-Length": ["3"]])
    }

    @Test func theRequestsOwnFieldsCount() async throws {
        let sent = try await fields {
            $0.setValue("application/json", forHTTPHeaderField: "Accept")
            $0.setValue("identity", forHTTPHeaderField: "accept-encoding")
            $0.setValue("", forHTTPHeaderField: "X-Empty")
            $0.setValue("gzip", forHTTPHeaderField: "Transfer-Encoding")
            $0.setValue("77", forHTTPHeaderField: "Content-Length")
        }
        #expect(sent["Accept"] == ["application/json"])
        #expect(sent["Accept-Encoding"] ?? sent["accept-encoding"] == ["identity"])
        #expect(sent["X-Empty"] == [""])
        // The framing is the session's.
        #expect(sent["Transfer-Encoding"] == nil)
        #expect(sent["Content-Length"] == nil)
    }

    @Test func theSessionsFieldsAreSentWhereTheRequestHasNone() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.httpAdditionalHeaders = ["X-Session": "1", "User-Agent": "App/2", "X-Both": "session"]
        let sent = try await fields(configuration) { $0.setValue("request", forHTTPHeaderField: "X-Both") }
        #expect(sent["X-Session"] == ["1"])
        #expect(sent["User-Agent"] == ["App/2"])
        #expect(sent["X-Both"] == ["request"])
    }

    @Test func partsAreNotCoded() async throws {
        let sent = try await fields { $0.setValue("bytes=0-9", forHTTPHeaderField: "Range") }
        #expect(sent["Accept-Encoding"] == ["identity"])
    }

    @Test func cookiesAreKeptOnlyOnRequest() async throws {
        for isOn in [false, true] {
            var configuration = HTTPSession.Configuration()
            configuration.httpShouldSetCookies = isOn
            try await withSession(configuration) { _ in
                .init(headers: [("Set-Cookie", "a=b; Path=/")])
            } _: { session, server, _ in
                for _ in 0..<2 { _ = try await session.data(from: server.baseURL) }
                // Other handles of the session have them too.
                async let one = session.data(from: server.baseURL)
                async let two = session.data(from: server.baseURL)
                _ = try await (one, two)
                let cookies = server.requests.map { $0.header("Cookie") }
                #expect(cookies == (isOn ? [nil, "a=b", "a=b", "a=b"] : [nil, nil, nil, nil]))
            }
        }
    }

    @Test func wrongConfigurationIsTold() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.httpAdditionalHeaders = ["X": "a\r\nY: b"]
        let recorder = Recorder()
        let session = HTTPSession(configuration: configuration, observers: [recorder])
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let error = try await urlError { try await session.data(from: url) }
        #expect(error.code == .badURL)
        #expect(recorder.records.count == 1)
    }
}
