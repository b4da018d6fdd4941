#if os(Linux)
import Foundation
import WeirClient
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// A server that does what no server should.
extension Robust {
    /// The most bytes of a body, so that bombs are bounded.
    private static let bodyLimit: Int64 = 1 << 20
    /// How long silence is borne where nothing else can end a task, in seconds.
    private static let patience = 0.3

    /// How a body is taken.
    private enum Way: CaseIterable { case memory, pieces, file, upload }

    func faults(_ count: Int) async throws -> Int {
        var tasks = 0
        for (isSecure, base) in [(false, target.plain), (true, target.secure)] {
            var configuration = isSecure ? secureConfiguration() : HTTPSession.Configuration()
            configuration.httpVersion = .http1
            configuration.maximumDecodedBytes = Self.bodyLimit
            try await withSession(configuration) { session, tally in
                for _ in 0..<count { await allAtOnce(session, base) }
                tasks += tally.records
            }
        }
        var configuration = secureConfiguration()
        configuration.maximumDecodedBytes = Self.bodyLimit
        try await withSession(configuration) { session, tally in
            for _ in 0..<count {
                for fault in Fault.http2 {
                    for way in Way.allCases { await meet(fault, way, session, target.secure) }
                }
            }
            tasks += tally.records
        }
        return tasks
    }

    private func allAtOnce(_ session: HTTPSession, _ base: URL) async {
        await withTaskGroup(of: Void.self) { group in
            for fault in Fault.all {
                for way in Way.allCases { group.addTask { await meet(fault, way, session, base) } }
            }
            group.addTask { await meet(Fault.collected, .memory, session, base) }
        }
    }

    /// Meets one fault, and then fetches what is good from the same server.
    private func meet(_ fault: Fault, _ way: Way, _ session: HTTPSession, _ base: URL) async {
        var request = URLRequest(url: base.appending(path: fault.path))
        if fault.isSilence { request.timeoutInterval = Self.patience }
        do {
            switch way {
            case .memory: _ = try await session.data(for: request)
            case .pieces:
                let (bytes, _) = try await session.bytes(for: request)
                for try await _ in bytes.chunks {}
            case .file:
                let file = FileManager.default.temporaryDirectory.appending(
                    path: "weir-\(UInt64.random(in: 0 ... .max))")
                defer { try? FileManager.default.removeItem(at: file) }
                _ = try await session.download(for: request, to: file)
            case .upload:
                request.httpMethod = "POST"
                _ = try await session.upload(for: request, from: Data(count: 100_000))
            }
            judge.expect(false, "\(fault.path) \(way): no error")
        } catch let error as URLError {
            let text = "\(error.userInfo[NSLocalizedDescriptionKey] ?? "")"
            judge.expect(
                fault.codes.contains(error.code), "\(fault.path) \(way): \(error.code.rawValue) \(text)")
        } catch {
            judge.expect(false, "\(fault.path) \(way): \(error)")
        }
        do {
            let (data, _) = try await session.data(from: base.appending(path: "good"))
            judge.expect(data == Data("good".utf8), "after \(fault.path): \(data.count) other bytes")
        } catch {
            judge.expect(false, "after \(fault.path): \(error)")
        }
    }
}
#endif
