import Foundation
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// The announcement of a task that begins now with this request.
    func start(at date: Date) -> TaskRecord.Start {
        TaskRecord.Start(
            id: TaskRecord.nextID(), method: httpMethod ?? "GET",
            url: RequestURL(withoutUserInfo: url?.absoluteString ?? ""), start: date,
            isStream: asksForStream)
    }

    /// Whether a response is asked for that is meant to stay open.
    var asksForStream: Bool {
        value(forHTTPHeaderField: "Accept")?.range(of: "text/event-stream", options: .caseInsensitive) != nil
    }
}
