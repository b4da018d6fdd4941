import Foundation
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TaskRecord.Failure {
    init(_ error: any Error) {
        let bridged = error as NSError
        let sentence = (error as? URLError)?.userInfo[NSLocalizedDescriptionKey] as? String
        self.init(domain: bridged.domain, code: bridged.code, message: sentence ?? bridged.localizedDescription)
    }
}
