import Foundation
package import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The system's classes fit the protocols as they are, but for four properties; off Apple platforms the same classes exist
// as stubs, so that this is compiled there too.
extension URLSessionTaskMetrics: TaskMetrics {}

extension URLSessionTaskTransactionMetrics: TransactionMetrics {
    #if canImport(Darwin)
    package var localPortNumber: Int? { localPort }
    package var remotePortNumber: Int? { remotePort }
    #else
    package var localPortNumber: Int? { localPort.flatMap { Int($0) } }
    package var remotePortNumber: Int? { remotePort.flatMap { Int($0) } }
    #endif

    package var tlsParameters: (version: UInt16?, cipherSuite: UInt16?) {
        (negotiatedTLSProtocolVersion?.rawValue, negotiatedTLSCipherSuite?.rawValue)
    }

    package var fetchType: Transaction.ResourceFetchType {
        switch resourceFetchType {
        case .networkLoad: .networkLoad
        case .localCache: .localCache
        case .serverPush: .serverPush
        default: .unknown
        }
    }
}
