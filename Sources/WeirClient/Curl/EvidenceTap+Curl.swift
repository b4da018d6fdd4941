#if !canImport(Darwin)
import WeirEvidence
import WeirModel

extension EvidenceTap {
    /// A request is about to be sent.
    func request(_ request: OutgoingRequest) {
        let body: RequestEvidence.Body =
            switch request.body {
            case .none: .none
            case .data(let data): .data(data)
            // Read while they are sent, and not before.
            case .file, .stream, .endless: .unseen
            }
        self.request(
            method: request.method, url: RequestURL(withoutUserInfo: request.urlText), fields: request.fields,
            body: body)
    }
}
#endif
