#if os(Linux)
import Foundation
import WeirClient
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Nothing wrong with the server, only much to do.
extension Robust {
    /// Fetches what is always there, and expects it to come.
    func fetchGood(_ session: HTTPSession, _ path: String = "good") async {
        do {
            guard let url = URL(string: path, relativeTo: target.plain) else { return judge.expect(false, path) }
            let (data, _) = try await session.data(from: url)
            judge.expect(data == Data("good".utf8), "\(path): \(data.count) other bytes")
        } catch {
            judge.expect(false, "\(path): \(error)")
        }
    }

    func concurrent(_ count: Int) async throws -> Int {
        try await withSession { session, tally in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count { group.addTask { await fetchGood(session) } }
            }
            judge.expect(
                tally.records == count && tally.failures == 0, "\(tally.failures) of \(tally.records) tasks failed")
        }
        return count
    }

    func sequential(_ count: Int) async throws -> Int {
        try await withSession { session, tally in
            for _ in 0..<count { await fetchGood(session) }
            judge.expect(
                tally.records == count && tally.failures == 0, "\(tally.failures) of \(tally.records) tasks failed")
        }
        return count
    }

    /// Twenty sessions at a time, which end in every way that there is.
    func sessions(_ count: Int) async throws -> Int {
        let secure = secureConfiguration()
        for start in stride(from: 0, to: count, by: 20) {
            await withTaskGroup(of: Void.self) { group in
                for index in start..<min(start + 20, count) {
                    group.addTask { await oneSession(index, index % 2 == 0 ? .init() : secure) }
                }
            }
        }
        return count
    }

    private func oneSession(_ index: Int, _ configuration: HTTPSession.Configuration) async {
        let session = HTTPSession(configuration: configuration)
        let url = index % 2 == 0 ? target.plain : target.secure
        do {
            let (data, _) = try await session.data(from: url.appending(path: "good"))
            judge.expect(data == Data("good".utf8), "\(data.count) other bytes")
            switch index / 2 % 4 {
            case 0: session.invalidate()
            case 1: session.finishTasksAndInvalidate()
            case 2:
                // It is dropped in the middle of a stream, and never told to end.
                let (bytes, _) = try await session.bytes(from: url.appending(path: "endless-body"))
                for try await _ in bytes.chunks { break }
                return
            default: return
            }
            await session.drain()
        } catch {
            judge.expect(false, "\(error)")
        }
    }

    /// Each request is answered only when all are there, so that there are as many connections.
    func connections(_ count: Int) async throws -> Int {
        var configuration = HTTPSession.Configuration()
        configuration.httpMaximumConnectionsPerHost = count
        try await withSession(configuration) { session, tally in
            for round in 0..<2 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<count { group.addTask { await fetchGood(session, "gather?count=\(count)") } }
                }
                judge.expect(
                    tally.records == count * (round + 1) && tally.failures == 0,
                    "\(tally.failures) of \(tally.records) tasks failed")
            }
        }
        return count * 2
    }

    /// What a session says when the process has no descriptor left, and whether it goes on when it has.
    func descriptors(_ count: Int) async throws -> Int {
        try await withSession { session, tally in
            for _ in 0..<count {
                await fetchGood(session)
                let held = exhaustDescriptors()
                // Another origin needs another socket.
                await expectNoDescriptor {
                    _ = try await session.data(from: URL(string: "good", relativeTo: otherOrigin) ?? otherOrigin)
                }
                await expectNoDescriptor { _ = try await HTTPSession().data(from: target.plain) }
                for descriptor in held { close(descriptor) }
                await fetchGood(session)
            }
        }
        return count * 4
    }

    /// The server in clear by another name.
    private var otherOrigin: URL { URL(string: "http://127.0.0.2:1/") ?? target.plain }

    private func expectNoDescriptor(_ work: () async throws -> Void) async {
        do {
            try await work()
            judge.expect(false, "it worked without a descriptor")
        } catch let error as URLError {
            let text = "\(error.userInfo[NSLocalizedDescriptionKey] ?? "")"
            judge.expect(
                error.code == .cannotConnectToHost && text.contains("descriptor"),
                "without a descriptor: \(error.code.rawValue) \(text)")
        } catch {
            judge.expect(false, "without a descriptor: \(error)")
        }
    }

    private func exhaustDescriptors() -> [Int32] {
        var held: [Int32] = []
        while true {
            let descriptor = dup(2)
            if descriptor < 0 { return held }
            held.append(descriptor)
        }
    }

    func secureConfiguration() -> HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration()
        configuration.trust.additionalAnchors = [target.authority]
        return configuration
    }
}
#endif
