#if canImport(Darwin)
public import Foundation
public import WeirModel
import Synchronization

/// A delegate that turns the metrics of every task of a `URLSession` into records: the one line that an app changes.
///
///     let session = URLSession(configuration: .default, delegate: URLSessionRecorder(observers: [audit],
///         forwardingTo: myDelegate), delegateQueue: nil)
///
/// All other delegate messages go to `forwardingTo`. A task that has a delegate of its own gives its metrics to that one, so
/// they are lost here; `HTTPSession` has no such gap. Bodies are not seen: records have no digests, and no value flow.
public final class URLSessionRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    private let observers: [any TaskObserver]
    private let sessionUnit: UnitOfWork.Origin?
    /// `URLSession` retains its delegate until it is invalidated, and so does this one.
    private let forwardee: (any URLSessionDelegate & Sendable)?
    private let deliveries = Lock<[ObjectIdentifier: TaskDelivery]>([:])

    /// Makes a delegate.
    ///
    /// - Parameters:
    ///   - observers: Who gets the records.
    ///   - forwardee: The app's own delegate.
    public init(observers: [any TaskObserver], forwardingTo forwardee: (any URLSessionDelegate & Sendable)? = nil) {
        var observers = observers
        if let file = RecordFile.fromEnvironment { observers.append(file) }
        self.observers = observers
        self.forwardee = forwardee
        sessionUnit = UnitOfWork.Origin.current
    }

    /// Whether this delegate or the app's own takes a message.
    public override func responds(to selector: Selector?) -> Bool {
        super.responds(to: selector) || forwardee?.responds(to: selector) == true
    }

    /// The app's own delegate, for messages that only it takes.
    public override func forwardingTarget(for selector: Selector?) -> Any? {
        forwardee?.responds(to: selector) == true ? forwardee : super.forwardingTarget(for: selector)
    }

    /// Attributes a task; called where the app creates it, so that the unit of work there is visible.
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        deliveries.withLock { $0[ObjectIdentifier(task)] = makeDelivery(task, start: ProcessClock.now) }
        (forwardee as? any URLSessionTaskDelegate)?.urlSession?(session, didCreateTask: task)
    }

    /// Delivers the record of a task, before its caller resumes.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let known = deliveries.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
        let delivery = known ?? makeDelivery(task, start: metrics.taskInterval.start)
        delivery.finish(TaskRecord(metrics, delivery: delivery, failure: task.error))
        (forwardee as? any URLSessionTaskDelegate)?.urlSession?(session, task: task, didFinishCollecting: metrics)
    }

    /// Required by the protocol; the app's own delegate keeps the file.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        (forwardee as? any URLSessionDownloadDelegate)?
            .urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
    }

    private func makeDelivery(_ task: URLSessionTask, start: Date) -> TaskDelivery {
        let start =
            task.originalRequest?.start(at: start)
            ?? TaskRecord.Start(
                id: TaskRecord.nextID(), method: "GET", url: RequestURL(withoutUserInfo: ""), start: start)
        return TaskDelivery(start, sessionUnit: sessionUnit, observers: observers)
    }
}
#endif
