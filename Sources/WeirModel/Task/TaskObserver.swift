/// Something that takes the records of finished tasks: an audit, a recorder, a file, a callback.
///
/// A source calls ``taskDidFinish(_:)`` exactly once for each task, before the task's caller resumes. Calls may come
/// from any thread, several at once; they should return quickly.
public protocol TaskObserver: Sendable {
    /// A task was created. The default does nothing.
    func taskDidStart(_ start: TaskRecord.Start)

    /// A task completed, failed or was cancelled.
    func taskDidFinish(_ record: TaskRecord)
}

extension TaskObserver {
    /// Does nothing.
    public func taskDidStart(_ start: TaskRecord.Start) {}
}
