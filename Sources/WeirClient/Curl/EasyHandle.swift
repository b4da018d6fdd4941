#if !canImport(Darwin)
import CWeirCurl
import Synchronization
import WeirModel

/// A libcurl easy handle with what its callbacks write, reused from one exchange to the next.
///
/// Setting it up and reading it out happen on the caller's side; between submission and completion it belongs to the
/// loop's thread alone.
///
/// `@unchecked Sendable`: it has one owner at a time. The caller owns it until `CurlLoop.submit`, the loop until it tells
/// the transfer's completion, and both hand-overs go through a lock or a continuation. One owner also means that accesses
/// cannot overlap, so the properties of the hot path go without the run-time check for it, which was a tenth of the
/// loop's own time.
final class EasyHandle: @unchecked Sendable {
    /// Where the body goes.
    enum Sink {
        /// Into memory, up to a limit of bytes on the wire.
        case collect(limit: Int64)
        /// To a consumer that reads along.
        case pipe(BodyPipe)
    }

    /// How much libcurl receives at once unless it is told otherwise.
    private static let standardReceiveSize = 16 * 1024

    let easy: Curl.Easy
    /// What the owner does before it lets go, the next one sees after it took over, whatever lock or queue lies between.
    private let baton = Atomic(false)
    private let share: Curl.Share?
    let keyLogPath: String?
    let unsentBytesLimit: Int32?

    // What one exchange fills.
    @exclusivity(unchecked) var marks = Marks(fetchStart: .now)
    @exclusivity(unchecked) var head = HeadAssembler()
    @exclusivity(unchecked) var body = CollectedBody()
    @exclusivity(unchecked) var sink = Sink.collect(limit: .max)
    @exclusivity(unchecked) var wireBytes: Int64 = 0
    @exclusivity(unchecked) var requestHeaderBytes: Int64 = 0
    @exclusivity(unchecked) var requestBodyBytes: Int64 = 0
    @exclusivity(unchecked) var connection: Connection?
    @exclusivity(unchecked) var openedSocket = false
    /// Why the system gave no socket (errno); 0 if it did.
    @exclusivity(unchecked) var socketError: Int32 = 0
    /// Why we ended it, if we did; libcurl's own result counts otherwise.
    @exclusivity(unchecked) var failure: TransferFailure?
    @exclusivity(unchecked) var result = CURLE_OK
    @exclusivity(unchecked) var upload: UploadSource?
    /// Whether it may hold bytes of its last exchange, so that no other may use it.
    @exclusivity(unchecked) var isSpent = false

    /// The transfer that uses the handle, while the loop has it.
    @exclusivity(unchecked) var transfer: Transfer?
    /// The loop's state, while the loop has the handle; it outlives every transfer, as the thread's own.
    @exclusivity(unchecked) unowned(unsafe) var turn: CurlLoop.Turn?

    // What the handle is set to, so that only changes need be set.
    private var urlText = ""
    private var headerList: HeaderList?
    private var verb = Verb.get
    private var waitsForMultiplexing = false
    private var receivesMuch = false
    private let prefersMultiplexing: Bool

    private enum Verb: Equatable {
        case get
        case head
        case custom(String)
        case inline(String)
        case upload(String)
    }

    init?(_ settings: CurlSettings) {
        guard let easy = Curl.Easy() else { return nil }
        self.easy = easy
        share = settings.share
        keyLogPath = settings.keyLogPath
        prefersMultiplexing = settings.configuration.httpVersion != .http1
        unsentBytesLimit = settings.configuration.unsentBytesLimit.map { Int32(clamping: $0) }
        guard easy.setClient(self) else { return nil }
        settings.apply(to: easy)
    }

    deinit { easy.close() }

    /// Lets go of the handle, and of all that belongs to its exchange.
    func pass() { baton.store(true, ordering: .releasing) }

    /// Takes the handle over.
    func accept() { _ = baton.load(ordering: .acquiring) }

    /// Makes the handle ready for a request.
    func prepare(_ request: OutgoingRequest, upload: UploadSource?, sink: Sink, fetchStart: Moment) {
        marks = Marks(fetchStart: fetchStart)
        head.reset()
        self.sink = sink
        self.upload = upload
        wireBytes = 0
        requestHeaderBytes = 0
        requestBodyBytes = 0
        openedSocket = false
        socketError = 0
        failure = nil
        result = CURLE_OK
        easy.clearMessage()
        if urlText != request.urlText {
            urlText = request.urlText
            easy.set(CURLOPT_URL, text: request.urlText)
        }
        // Over TLS, wait for the first connection's handshake: it may carry this request too. In clear nothing tells
        // before the first response has ended, and waiting for that would cost a round trip.
        let waits = prefersMultiplexing && request.isSecure
        if waits != waitsForMultiplexing {
            waitsForMultiplexing = waits
            easy.set(CURLOPT_PIPEWAIT, waits ? 1 : 0)
        }
        // What is read along comes in large pieces. For others the memory, which libcurl takes anew each time, would be for nothing.
        let isPiped = if case .pipe = sink { true } else { false }
        if isPiped != receivesMuch,
            easy.set(CURLOPT_BUFFERSIZE, isPiped ? BodyPipe.limit : Self.standardReceiveSize)
        {
            receivesMuch = isPiped
        }
        if headerList !== request.headerList {
            headerList = request.headerList
            easy.set(CURLOPT_HTTPHEADER, pointer: request.headerList.first)
        }
        setVerb(request.method)
    }

    /// Lets go of what the last exchange held.
    func release() {
        body.reset()
        upload = nil
        connection = nil
        transfer = nil
        sink = .collect(limit: .max)
        turn = nil
    }

    private func setVerb(_ method: String) {
        let verb: Verb
        switch upload {
        case .some(let upload): verb = upload.inlineBytes != nil ? .inline(method) : .upload(method)
        case nil:
            switch method {
            case "GET": verb = .get
            case "HEAD": verb = .head
            // A method that expects a body says that there is none (RFC 9110, section 8.6).
            case "POST", "PUT", "PATCH": verb = .inline(method)
            default: verb = .custom(method)
            }
        }
        if verb != self.verb {
            switch verb {
            case .get: easy.set(CURLOPT_HTTPGET, 1)
            case .head: easy.set(CURLOPT_NOBODY, 1)
            case .custom: easy.set(CURLOPT_HTTPGET, 1)
            case .inline: easy.set(CURLOPT_POST, 1)
            case .upload: easy.set(CURLOPT_UPLOAD, 1)
            }
            switch verb {
            case .get, .head: easy.set(CURLOPT_CUSTOMREQUEST, pointer: nil)
            case .custom(let method), .inline(let method), .upload(let method):
                easy.set(CURLOPT_CUSTOMREQUEST, text: method)
            }
            self.verb = verb
        }
        switch verb {
        case .inline:
            let bytes = upload?.inlineBytes
            easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(bytes?.count ?? 0))
            // The pointer stays valid: the handle holds the upload until the exchange is over, and literals live for ever.
            easy.set(
                CURLOPT_POSTFIELDS, pointer: bytes?.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start))
        case .upload: easy.set(CURLOPT_INFILESIZE_LARGE, offset: upload?.size ?? -1)
        case .get, .head, .custom: break
        }
    }
}

extension EasyHandle: Curl.Client {
    private var isAbandoned: Bool { transfer?.isAbandoned ?? true }

    func lookupStarts() -> Bool {
        if isAbandoned { return false }
        marks.lookUp(.now)
        transfer?.touch()
        return true
    }

    func socketOpens() -> Bool {
        // An abandoned transfer was left in place while its name lookup ran, since taking it away would have waited for it.
        if isAbandoned { return false }
        marks.connect(.now)
        openedSocket = true
        transfer?.touch()
        return true
    }

    func socketFailed(_ code: Int32) { socketError = code }

    func handshakeStarts() {
        if isAbandoned { return }
        marks.secureConnectionStart = .now
    }

    func requestStarts(localAddress: String?, localPort: Int, remoteAddress: String?, remotePort: Int) -> Bool {
        guard !isAbandoned, let turn else { return false }
        let now = Moment.now
        // libcurl turns to one request after the other: what it began before has been sent.
        turn.requestWasSent(now)
        turn.noteBegin()
        marks.requestStart = now
        let connection = turn.connections.connection(
            localAddress: localAddress, localPort: localPort, remoteAddress: remoteAddress, remotePort: remotePort,
            isNew: openedSocket, tls: { easy.tls })
        self.connection = connection
        transfer?.touch()
        if connection.isHTTP2, upload == nil {
            // What its compressed head took nobody knows, and when it was sent shows at what comes next.
            turn.sending = self
        } else {
            // From here to the response's head libcurl tells what it sends; its other messages cost time and are not wanted.
            easy.set(CURLOPT_VERBOSE, 1)
        }
        return true
    }

    func requestHeadWasSent(_ count: Int) {
        if isAbandoned { return }
        requestHeaderBytes += Int64(count)
        marks.requestEnd = .now
        transfer?.touch()
    }

    func requestBodyWasSent(_ count: Int) {
        if isAbandoned { return }
        // Bytes that were read piece by piece are counted there: here they may be chunked.
        if upload?.inlineBytes != nil { requestBodyBytes += Int64(count) }
        marks.requestEnd = .now
        transfer?.touch()
    }

    func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Curl.Given {
        guard !isAbandoned, let upload else { return .abort }
        switch upload.read(into: buffer) {
        case .bytes(let count):
            requestBodyBytes += Int64(count)
            return .bytes(count)
        case .later:
            transfer?.isSendPaused = true
            return .pause
        case .failed(let message):
            failure = .sourceFailed(message)
            return .abort
        }
    }

    func rewindBody(to offset: Int64) -> Bool {
        guard !isAbandoned, let upload else { return false }
        requestBodyBytes = 0
        if upload.rewind(to: offset) { return true }
        failure = .sourceExhausted
        return false
    }

    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !isAbandoned, let transfer else { return false }
        transfer.touch()
        switch head.take(line) {
        case .more: return true
        case .finalStatus:
            let now = Moment.now
            turn?.requestWasSent(now)
            marks.responseStart = now
            easy.set(CURLOPT_VERBOSE, 0)
            return true
        case .complete:
            if upload?.isEndless == true {
                failure = .answeredEarly(head.status)
                return false
            }
            marks.lastByte = .now
            transfer.headIsComplete(self)
            return true
        case .tooLarge:
            failure = .headTooLarge
            return false
        case .malformed:
            failure = .malformedHead
            return false
        case .coded:
            failure = .codedTransfer
            return false
        }
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Curl.Taken {
        guard !isAbandoned, let transfer else { return .abort }
        transfer.touch()
        if transfer.dropsBody {
            wireBytes += Int64(bytes.count)
            // Reading on keeps the connection; above some size a new connection costs less.
            if wireBytes <= Transfer.droppedBodyLimit { return .all }
            return .abort
        }
        switch sink {
        case .collect(let limit):
            if wireBytes == 0, let size = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T), size > bytes.count,
                size <= limit
            {
                body.reserve(Int(size))
            }
            wireBytes += Int64(bytes.count)
            guard wireBytes <= limit, body.append(bytes) else {
                failure = .bodyTooLarge(limit: limit)
                return .abort
            }
            marks.lastByte = .now
            return .all
        case .pipe(let pipe):
            switch pipe.write(bytes, wakes: false) {
            case .taken:
                turn?.noteFed(transfer)
                wireBytes += Int64(bytes.count)
                marks.lastByte = .now
                return .all
            case .full:
                transfer.isReceivePaused = true
                return .pause
            case .closed: return .abort
            }
        }
    }
}
#endif
