import Foundation
import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What tests need another process for.
///
/// `weir-client-child cache URL FOLDER SEED ROUNDS` fetches through a cache's folder; `weir-client-child fetch URL ANCHOR` fetches over TLS;
/// `weir-client-child robust SCENARIO COUNT` puts a session under load, and counts what is left of it.
@main enum ClientChild {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "cache" where arguments.count == 6:
            guard let url = URL(string: arguments[2]), let seed = UInt64(arguments[4]), let rounds = Int(arguments[5])
            else { exit(2) }
            exit(try await CacheStress.run(server: url, folder: arguments[3], seed: seed, rounds: rounds))
        case "fetch" where arguments.count == 4:
            guard let url = URL(string: arguments[2]) else { exit(2) }
            var configuration = HTTPSession.Configuration()
            configuration.trust.additionalAnchors = [try Data(contentsOf: URL(filePath: arguments[3]))]
            let (_, response) = try await HTTPSession(configuration: configuration).data(from: url)
            exit(response.statusCode == 200 ? 0 : 1)
        #if os(Linux)
        case "serve-faults": try await FaultServer.serve()
        case "robust" where arguments.count == 4:
            guard let scenario = Robust.Scenario(rawValue: arguments[2]), let count = Int(arguments[3]), count > 0
            else {
                exit(2)
            }
            exit(try await Robust.run(scenario, count: count))
        #endif
        default: exit(2)
        }
    }
}
