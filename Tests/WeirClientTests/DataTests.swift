import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer
import WeirTestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct DataTests {
    @Test func deliversBodyResponseAndRecord() async throws {
        let server = try await LocalServer.start { request in
            .init(
                headers: [("Content-Type", "text/plain")], body: [.text("hello \(request.path)")],
                delay: .milliseconds(20))
        }
        let recorder = Recorder()
        let session = HTTPSession(observers: [recorder])
        let (data, response) = try await session.data(from: server.baseURL.appending(path: "a"))
        #expect(String(decoding: data, as: UTF8.self) == "hello /a")
        #expect(response.statusCode == 200)
        #expect(response.value(forHTTPHeaderField: "content-type") == "text/plain")
        #expect(response.url == server.baseURL.appending(path: "a"))
        // The record is there before the caller goes on.
        let first = try #require(recorder.records.first)
        _ = try await session.data(from: server.baseURL.appending(path: "b"))
        let second = try #require(recorder.records.last)
        #expect(recorder.records.map(\.id) == recorder.starts.map(\.id))

        let cold = try #require(first.outcome)
        #expect(first.failure == nil)
        #expect(first.transactions.count == 1)
        #expect(cold.request.method == "GET")
        #expect(cold.request.url.path == "/a")
        #expect(cold.request.headerFields["accept-encoding"] == "gzip, deflate, br, zstd")
        #expect(cold.response?.statusCode == 200)
        #expect(cold.response?.headerFields["Content-Length"] == "8")
        #expect(cold.resourceFetchType == .networkLoad)
        #expect(cold.networkProtocolName == "http/1.1")
        #expect(cold.isReusedConnection == false)
        #expect(cold.remotePort == server.port)
        #expect(cold.localPort == server.requests.first?.request.remotePort)
        #expect(cold.countOfRequestHeaderBytesSent == (server.requests.first?.request.headByteCount).map(Int64.init))
        #expect(cold.countOfResponseBodyBytesReceived == 8)
        #expect(cold.countOfResponseBodyBytesAfterDecoding == 8)
        #expect(cold.responseBodyDigest != nil)
        #expect(cold.impossiblePhases.isEmpty)
        // The end of sending is noted after it: a thread that is interrupted there takes from the waiting.
        #expect(try #require(cold.duration(of: .request)) + #require(cold.waiting) >= 0.020)
        // An address is not looked up.
        #expect(cold.dns == nil)
        #expect(cold.connect != nil)
        #expect(cold.tls == nil)
        #expect(try #require(cold.fetchStartDate) >= first.start)
        #expect(try #require(cold.responseEndDate) <= first.end)
        #expect(first.schedulingDelay != nil)

        let warm = try #require(second.outcome)
        #expect(warm.isReusedConnection == true)
        #expect(warm.connectionID == cold.connectionID)
        #expect(warm.connect == nil)
        #expect(warm.impossiblePhases.isEmpty)
        #expect(server.connectionsAccepted == 1)
        session.invalidate()
        await session.drain()
        server.stop()
    }

    @Test func refusedConnectionIsARecordedError() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:\(OwnPort.next())/"))
        let recorder = Recorder()
        let session = HTTPSession(observers: [recorder])
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.userInfo[URLError.libcurlMessageKey] as? String != nil)
        let record = try #require(recorder.records.first)
        #expect(record.failure?.code == URLError.Code.cannotConnectToHost.rawValue)
        #expect(record.failure?.domain == NSURLErrorDomain)
        #expect(record.outcome?.connectStartDate != nil)
        #expect(record.outcome?.connectEndDate == nil)
        #expect(record.outcome?.response == nil)
    }
}
