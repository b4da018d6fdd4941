import Foundation
import Synchronization
import WeirModel

/// Keeps what a session tells of its tasks.
final class Recorder: TaskObserver {
    private let state = Lock((starts: [TaskRecord.Start](), records: [TaskRecord]()))

    func taskDidStart(_ start: TaskRecord.Start) { state.withLock { $0.starts.append(start) } }
    func taskDidFinish(_ record: TaskRecord) { state.withLock { $0.records.append(record) } }

    var starts: [TaskRecord.Start] { state.withLock { $0.starts } }
    var records: [TaskRecord] { state.withLock { $0.records } }
}
