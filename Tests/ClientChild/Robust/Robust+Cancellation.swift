#if os(Linux)
import Foundation
import Synchronization
import WeirClient
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Tasks that are cancelled at every point, over HTTP/1.1 and HTTP/2.
extension Robust {
    /// What a task is about when it is cancelled.
    private enum Point: CaseIterable {
        case beforeTheStart, inTheQueue, connecting, inTheHead, inTheBody, paused, sending, redirected, anywhere
    }

    func cancellation(_ count: Int) async throws -> Int {
        var tasks = 0
        for isHTTP2 in [false, true] {
            var configuration = secureConfiguration()
            configuration.httpMaximumConnectionsPerHost = 4
            configuration.httpVersion = isHTTP2 ? .http2 : .http1
            try await withSession(configuration) { session, tally in
                await withTaskGroup(of: Void.self) { group in
                    for index in 0..<count {
                        let point = Point.allCases[index % Point.allCases.count]
                        // As many as would wait for ever are let go before the next ones come.
                        if index >= 40 { await group.next() }
                        group.addTask { await cancel(session, point, isHTTP2, index) }
                    }
                }
                let (data, _) = try await session.data(from: target.secure.appending(path: "good"))
                judge.expect(data == Data("good".utf8), "afterwards: \(data.count) other bytes")
                tasks += tally.records
            }
        }
        return tasks
    }

    private func cancel(_ session: HTTPSession, _ point: Point, _ isHTTP2: Bool, _ index: Int) async {
        let base = target.secure
        let reached = Reached()
        let task = Task {
            if point == .beforeTheStart { withUnsafeCurrentTask { $0?.cancel() } }
            switch point {
            case .beforeTheStart, .inTheQueue, .inTheHead:
                _ = try await session.data(from: base.appending(path: "stall"), observer: reached)
            case .connecting:
                // A session of its own has no connection yet.
                let other = HTTPSession(configuration: secureConfiguration())
                _ = try await other.data(from: base.appending(path: "stall"), observer: reached)
            case .inTheBody:
                let (bytes, _) = try await session.bytes(from: base.appending(path: "stall-in-body"), observer: reached)
                for try await _ in bytes.chunks { reached.body() }
            case .paused:
                let (bytes, _) = try await session.bytes(from: base.appending(path: "endless-body"), observer: reached)
                var iterator = bytes.chunks.makeAsyncIterator()
                _ = try await iterator.next()
                reached.body()
                // Nothing is read until the task is cancelled. A sleep would stay in memory until its time even so.
                for await _ in AsyncStream(Never.self, { _ in }) {}
                while try await iterator.next() != nil {}
            case .sending:
                var request = URLRequest(url: base.appending(path: "stall"))
                request.httpMethod = "POST"
                _ = try await session.upload(for: request, from: Data(count: 8 << 20), observer: reached)
            case .redirected:
                _ = try await session.data(from: base.appending(path: "redirect-for-ever"), observer: reached)
            case .anywhere:
                let (bytes, _) = try await session.bytes(
                    from: base.appending(path: index % 2 == 0 ? "endless-body" : "good"), observer: reached)
                for try await _ in bytes.chunks {}
            }
        }
        switch point {
        case .beforeTheStart: break
        case .inTheBody, .paused: await reached.waitForBody()
        case .inTheQueue, .connecting, .redirected, .sending: await reached.waitForStart()
        case .inTheHead, .anywhere:
            await reached.waitForStart()
            try? await Task.sleep(for: .microseconds(UInt64(index) &* 2_654_435_761 % 8_000))
        }
        task.cancel()
        do {
            try await task.value
            judge.expect(point == .anywhere, "\(point): it was not cancelled")
        } catch let error as URLError {
            // Redirects may have come to their limit before.
            judge.expect(
                error.code == .cancelled || (point == .redirected && error.code == .httpTooManyRedirects),
                "\(point): \(error)")
        } catch {
            judge.expect(false, "\(point): \(error)")
        }
        judge.expect(reached.records == 1, "\(point): \(reached.records) records")
    }

    /// Tells how far a task has come.
    private final class Reached: TaskObserver {
        private let state = Lock(
            (hasStarted: false, hasBody: false, records: 0, waiter: CheckedContinuation<Void, Never>?.none))

        func taskDidStart(_ start: TaskRecord.Start) { note { $0.hasStarted = true } }
        func taskDidFinish(_ record: TaskRecord) {
            note {
                $0.records += 1
                // Whoever waits for more waits in vain.
                ($0.hasStarted, $0.hasBody) = (true, true)
            }
        }
        func body() { note { $0.hasBody = true } }
        var records: Int { state.withLock { $0.records } }

        func waitForStart() async { await wait { $0.hasStarted } }
        func waitForBody() async { await wait { $0.hasBody } }

        private typealias State = (
            hasStarted: Bool, hasBody: Bool, records: Int, waiter: CheckedContinuation<Void, Never>?
        )

        private func note(_ change: (inout State) -> Void) {
            let waiter = state.withLock { state in
                change(&state)
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        private func wait(until isReached: @Sendable (State) -> Bool) async {
            while true {
                await withCheckedContinuation { continuation in
                    let isThere = state.withLock { state in
                        if isReached(state) { return true }
                        state.waiter = continuation
                        return false
                    }
                    if isThere { continuation.resume() }
                }
                if state.withLock({ isReached($0) }) { return }
            }
        }
    }
}
#endif
