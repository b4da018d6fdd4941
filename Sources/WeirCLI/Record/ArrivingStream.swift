import Dispatch
import Foundation
import WeirServer

/// A request's body as a stream that the session reads, while it arrives.
///
/// Reading waits for bytes, and is done on a queue of the session's for this body alone.
final class ArrivingStream: InputStream {
    private let body: ArrivingBody
    private let arrival = DispatchSemaphore(value: 0)
    private var status = Stream.Status.notOpen
    private var failure: Cut?

    /// Why there is no more of it.
    struct Cut: Error, CustomStringConvertible {
        var description: String
    }

    init(_ body: ArrivingBody) {
        self.body = body
        super.init(data: Data())
        let arrival = arrival
        body.onArrival { arrival.signal() }
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failure }
    override var hasBytesAvailable: Bool { status == .open }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        while true {
            switch body.take(upTo: length) {
            case .bytes(let bytes):
                bytes.withUnsafeBufferPointer { bytes in
                    if let base = bytes.baseAddress { buffer.update(from: base, count: bytes.count) }
                }
                return bytes.count
            case .later: arrival.wait()
            case .end:
                status = .atEnd
                return 0
            case .failed(let reason):
                failure = Cut(description: reason)
                status = .error
                return -1
            }
        }
    }
}
