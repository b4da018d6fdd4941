package import Foundation
import Synchronization
package import WeirModel

/// The values that flow between the tasks of one unit of work, shared by those tasks.
package final class FlowLedger: Sendable {
    private let flow: Lock<ValueFlow>

    package init(limits: ValueFlow.Limits = ValueFlow.Limits()) { flow = Lock(ValueFlow(limits: limits)) }

    /// How many values were not kept because of the limit.
    package var dropped: Int { flow.withLock { $0.dropped } }

    /// The one of a unit of work or an observer.
    package static func of(_ slot: EvidenceSlot) -> FlowLedger { slot.content { FlowLedger() } }

    fileprivate func withLock<R: Sendable>(_ body: (inout sending ValueFlow) -> sending R) -> R { flow.withLock(body) }
}

/// Looks at one task's requests and responses as they pass.
///
/// It belongs to whoever runs the task, and is used by one thread at a time; a task that nobody examines has none. Values are known to other tasks of the unit
/// as soon as the call that brought them returns, so before the app can use them.
package final class EvidenceTap {
    private let ledger: FlowLedger
    private let id: TaskRecord.ID
    private var response: ResponseEvidence
    private var passed = 0
    private var hasBegun = false
    private var isRequestComplete = true
    private let sendsStoredCookies: Bool
    private var compressibility: Compressibility?
    /// Which GraphQL operation the task's request runs.
    package private(set) var operation: BodyDigest?
    /// What the task's request shows it to need.
    package private(set) var edges: [TaskRecord.Edge] = []

    /// Makes a tap for a task.
    ///
    /// - Parameters:
    ///   - ledger: The unit of work's.
    ///   - id: The task.
    ///   - sendsStoredCookies: Whether the source adds cookies of its own to requests, which the tap does not see.
    package init(_ ledger: FlowLedger, task id: TaskRecord.ID, sendsStoredCookies: Bool = false) {
        self.ledger = ledger
        self.id = id
        self.sendsStoredCookies = sendsStoredCookies
        response = ResponseEvidence()
    }

    /// The task is about to send a request: its first, or the one to which a redirect led.
    package func request(
        method: String, url: RequestURL, fields: some Sequence<HeaderField>, body: RequestEvidence.Body
    ) {
        let request = RequestEvidence(method: method, url: url, fields: fields, body: body)
        isRequestComplete = isRequestComplete && request.isComplete
        if case .data(let data) = body, !hasBegun {
            operation = GraphQLOperation.digest(ofBody: data)
        } else if !hasBegun {
            operation = GraphQLOperation.digest(ofQuery: url.query)
        }
        if hasBegun {
            ledger.withLock { $0.follow(id, request) }
        } else {
            hasBegun = true
            edges = ledger.withLock { $0.begin(id, request) }
        }
    }

    /// The head of a response has arrived.
    package func responseHead(status: Int, fields: some Sequence<HeaderField>) {
        response.head(fields: fields)
        compressibility = Self.couldBeCompressed(status: status, fields) ? Compressibility() : nil
        // The body is the one that the app has from before.
        if status == 304 { response.bodyIsMissing() }
        pass()
    }

    /// Bytes of the body have arrived, their content coding undone.
    package func responseBytes(_ bytes: UnsafeRawBufferPointer) {
        response.body(bytes)
        compressibility?.update(bytes)
        pass()
    }

    /// A whole body has arrived.
    package func responseBytes(_ data: Data) {
        for region in data.regions {
            region.withUnsafeBytes {
                response.body($0)
                compressibility?.update($0)
            }
        }
        pass()
    }

    /// The task is over.
    package func finish() {
        response.end()
        pass()
    }

    /// The bytes that would remain of the response's body if the server compressed it, as estimated from the first of them;
    /// nil where it is compressed, or of a kind that does not shrink.
    package func compressedBytes() -> Int64? { compressibility?.compressedBytes() }

    /// Whether a response is text without a content coding.
    package static func couldBeCompressed(status: Int, _ fields: some Sequence<HeaderField>) -> Bool {
        var type: String?
        for field in fields {
            if field.isNamed("content-encoding") { return false }
            if field.isNamed("content-type") { type = field.value }
        }
        return status == 200 && type.map(BodyFormat.isCompressible) ?? false
    }

    /// Whether all of the task's requests and responses was looked at, as far as anything can flow from it.
    package var isExamined: Bool {
        guard hasBegun, isRequestComplete, response.isComplete else { return false }
        return ledger.withLock { $0.isComplete(id) && !(sendsStoredCookies && $0.hasCookies) }
    }

    private func pass() {
        let count = response.values.count
        guard count > passed else { return }
        let fresh = response.values[passed...]
        let places = response.places
        ledger.withLock { $0.receive(id, fresh, places: places) }
        passed = count
    }
}
