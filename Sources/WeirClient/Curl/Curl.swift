#if !canImport(Darwin)
import CWeirCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// libcurl, and all that is unsafe about it: its handles, its callbacks, and the pointers that they pass.
///
/// Who owns what: `Easy` and `Multi` free their handle when `close` is called, once. The context of an easy handle's
/// callbacks is its client, unretained; whoever closes the handle keeps the client alive until then.
enum Curl {
    /// Whether libcurl is usable; sets it up at the first use.
    static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    /// What a TLS handshake led to: the numbers as on the wire.
    struct TLS: Sendable {
        var version: UInt16
        var cipherSuite: UInt16
        /// Nil where that cannot be told.
        var isResumed: Bool?
        /// The protocol that was agreed on (ALPN); nil when there was none.
        var alpn: String?
    }

    /// What a callback that takes body bytes answers.
    enum Taken {
        case all
        /// None of them: pause, and offer the same bytes again.
        case pause
        case abort
    }

    /// What a callback that gives body bytes answers.
    enum Given {
        case bytes(Int)
        case pause
        case abort
    }

    /// What an easy handle tells while it runs, on the thread that runs it.
    protocol Client: AnyObject {
        func lookupStarts() -> Bool
        func socketOpens() -> Bool
        /// The system gave no socket, for the reason of that number.
        func socketFailed(_ code: Int32)
        /// How many bytes a socket may hold that were not sent; nil for what the system wants.
        var unsentBytesLimit: Int32? { get }
        /// Where the key material of TLS connections goes; nil for nowhere.
        var keyLogPath: String? { get }
        func handshakeStarts()
        func requestStarts(localAddress: String?, localPort: Int, remoteAddress: String?, remotePort: Int) -> Bool
        func requestHeadWasSent(_ count: Int)
        func requestBodyWasSent(_ count: Int)
        func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Given
        func rewindBody(to offset: Int64) -> Bool
        func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool
        func takeBody(_ bytes: UnsafeRawBufferPointer) -> Taken
    }
}

extension Curl {
    /// An easy handle: one transfer at a time.
    struct Easy {
        fileprivate let raw: UnsafeMutableRawPointer
        /// libcurl writes its message here; allocated once, so that the address is stable.
        private let errorText: UnsafeMutablePointer<CChar>

        init?() {
            guard Curl.isReady, let raw = curl_easy_init() else { return nil }
            self.raw = raw
            errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
            errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            _ = weir_easy_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
        }

        func close() {
            curl_easy_cleanup(raw)
            errorText.deallocate()
        }

        /// Sets the receiver of all callbacks, unretained.
        func setClient(_ client: EasyHandle) -> Bool {
            var callbacks = Curl.callbacks
            return weir_easy_set_callbacks(raw, &callbacks, Unmanaged.passUnretained(client).toOpaque()) == CURLE_OK
        }

        /// libcurl's own message on the last transfer, or nil.
        var message: String? { errorText[0] == 0 ? nil : String(cString: errorText) }
        func clearMessage() { errorText[0] = 0 }

        @discardableResult
        func set(_ option: CURLoption, _ value: Int) -> Bool { weir_easy_set_long(raw, option, value) == CURLE_OK }
        @discardableResult
        func set(_ option: CURLoption, offset: Int64) -> Bool {
            weir_easy_set_offset(raw, option, curl_off_t(offset)) == CURLE_OK
        }
        /// Sets an option of which libcurl keeps the pointer.
        @discardableResult
        func set(_ option: CURLoption, pointer: UnsafeRawPointer?) -> Bool {
            weir_easy_set_pointer(raw, option, pointer) == CURLE_OK
        }
        /// Sets an option of which libcurl copies the text.
        @discardableResult
        func set(_ option: CURLoption, text: String) -> Bool { text.withCString { set(option, pointer: $0) } }
        /// Sets an option of which libcurl copies the bytes.
        @discardableResult
        func set(_ option: CURLoption, bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return false }
                return weir_easy_set_blob(raw, option, base, bytes.count) == CURLE_OK
            }
        }

        func number(_ info: CURLINFO) -> Int {
            var value = 0
            return weir_easy_get_long(raw, info, &value) == CURLE_OK ? value : 0
        }
        func offset(_ info: CURLINFO) -> Int64? {
            var value: curl_off_t = 0
            return weir_easy_get_offset(raw, info, &value) == CURLE_OK ? Int64(value) : nil
        }
        /// The TLS parameters, while the transfer runs.
        var tls: TLS? {
            var found = weir_tls()
            guard weir_easy_tls(raw, &found) != 0 else { return nil }
            let alpn = withUnsafeBytes(of: &found.alpn) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            return TLS(
                version: found.version, cipherSuite: found.cipher_suite,
                isResumed: found.resumed < 0 ? nil : found.resumed != 0, alpn: alpn.flatMap { $0.isEmpty ? nil : $0 })
        }

        /// Pauses or continues; on the thread that runs the transfer.
        ///
        /// May call back at once with the bytes held back.
        ///
        /// - Returns: False when there was no connection, and so nothing happened.
        @discardableResult
        func pause(receiving: Bool, sending: Bool) -> Bool {
            let bits = (receiving ? CURLPAUSE_RECV : 0) | (sending ? CURLPAUSE_SEND : 0)
            return curl_easy_pause(raw, bits) != CURLE_BAD_FUNCTION_ARGUMENT
        }
    }

    /// A multi handle; `@unchecked Sendable` since one thread alone calls it, but for `wakeUp`, which is thread-safe.
    struct Multi: @unchecked Sendable {
        private let raw: UnsafeMutableRawPointer

        init?() {
            guard Curl.isReady, let raw = curl_multi_init() else { return nil }
            // Without descriptors for it, libcurl makes a handle that sleeps through every call to wake up.
            guard curl_multi_wakeup(raw) == CURLM_OK else {
                curl_multi_cleanup(raw)
                return nil
            }
            self.raw = raw
        }

        func set(_ option: CURLMoption, _ value: Int) { _ = weir_multi_set_long(raw, option, value) }
        /// Adds a transfer; false when libcurl refuses it.
        func add(_ easy: Easy) -> Bool { curl_multi_add_handle(raw, easy.raw) == CURLM_OK }
        /// Takes a transfer away.
        ///
        /// May wait for a name lookup that is under way.
        func remove(_ easy: Easy) { _ = curl_multi_remove_handle(raw, easy.raw) }
        /// Does what can be done without waiting.
        func perform() {
            var running: Int32 = 0
            _ = curl_multi_perform(raw, &running)
        }
        /// Waits for something to do, at most so many milliseconds.
        func poll(milliseconds: Int32) { _ = curl_multi_poll(raw, nil, 0, milliseconds, nil) }
        /// Ends a `poll` that runs or is about to; from any thread, while the handle is open.
        func wakeUp() { _ = curl_multi_wakeup(raw) }
        /// The next transfer that is done.
        func nextDone() -> (EasyHandle, CURLcode)? {
            var easy: UnsafeMutableRawPointer?
            var result = CURLE_OK
            guard weir_multi_next_done(raw, &easy, &result) != 0, let easy, let context = weir_easy_context(easy) else {
                return nil
            }
            return (Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue(), result)
        }
        func close() { _ = curl_multi_cleanup(raw) }
    }

    /// What the easy handles of a session share, closed after the last of them: TLS sessions, which otherwise each handle could
    /// resume on its own only, and cookies.
    final class Share: @unchecked Sendable {
        // Immutable; libcurl locks the shared data through the locks that the shim made.
        private let raw: UnsafeMutableRawPointer
        private let locks: UnsafeMutableRawPointer
        private let hasCookies: Bool

        init?(cookies: Bool) {
            var locks: UnsafeMutableRawPointer?
            guard Curl.isReady, let raw = weir_share_make(cookies ? 1 : 0, &locks), let locks else { return nil }
            self.raw = raw
            self.locks = locks
            hasCookies = cookies
        }

        deinit { weir_share_free(raw, locks) }

        func join(_ easy: Easy) {
            easy.set(CURLOPT_SHARE, pointer: raw)
            if hasCookies { easy.set(CURLOPT_COOKIEFILE, text: "") }
        }
    }

    /// The versions of libcurl and of its TLS library, and whether it speaks HTTP/2 and HTTP/3.
    static var version: (text: String, hasHTTP2: Bool, hasHTTP3: Bool)? {
        guard isReady, let info = weir_version()?.pointee else { return nil }
        let parts = [
            info.version.map { "libcurl/" + String(cString: $0) }, info.ssl_version.map { String(cString: $0) },
        ]
        return (
            parts.compactMap { $0 }.joined(separator: " "), info.features & CURL_VERSION_HTTP2 != 0,
            info.features & CURL_VERSION_HTTP3 != 0
        )
    }

    /// The file and the folder of the system's root certificates, as libcurl was built.
    static var defaultRoots: (file: String?, folder: String?)? {
        guard isReady, let info = weir_version()?.pointee else { return nil }
        return (info.cainfo.map { String(cString: $0) }, info.capath.map { String(cString: $0) })
    }

    static func nameThread(_ name: String) { weir_thread_set_name(name) }

    /// Tells the processor that the thread waits for another one's store.
    static func relax() { weir_curl_relax() }
}

extension Curl {
    /// The callbacks; each finds the client in its context and translates.
    fileprivate static var callbacks: weir_callbacks {
        weir_callbacks(
            write: { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                switch Curl.client(context).takeBody(bytes) {
                case .all: return bytes.count
                case .pause: return Int(CURL_WRITEFUNC_PAUSE)
                // Another number than that of the bytes, even when that is 0.
                case .abort: return bytes.isEmpty ? 1 : 0
                }
            },
            header: { bytes, size, count, context in
                let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Curl.client(context).takeHeader(line) ? line.count : 0
            },
            read: { bytes, size, count, context in
                let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                switch Curl.client(context).giveBody(buffer) {
                case .bytes(let count): return count
                case .pause: return Int(CURL_READFUNC_PAUSE)
                case .abort: return Int(CURL_READFUNC_ABORT)
                }
            },
            seek: { context, offset, origin in
                guard origin == 0, Curl.client(context).rewindBody(to: Int64(offset)) else { return CURL_SEEKFUNC_FAIL }
                return CURL_SEEKFUNC_OK
            },
            debug: { _, type, _, count, context in
                if type == CURLINFO_HEADER_OUT {
                    Curl.client(context).requestHeadWasSent(count)
                } else if type == CURLINFO_DATA_OUT {
                    Curl.client(context).requestBodyWasSent(count)
                }
                return 0
            },
            resolver_start: { _, _, context in Curl.client(context).lookupStarts() ? 0 : 1 },
            opensocket: { context, _, address in
                let client = Curl.client(context)
                guard client.socketOpens() else { return CURL_SOCKET_BAD }
                let socket = weir_socket_open(address)
                if socket == CURL_SOCKET_BAD {
                    client.socketFailed(errno)
                } else if let limit = client.unsentBytesLimit {
                    weir_socket_limit_unsent(socket, limit)
                }
                return socket
            },
            ssl_ctx: { _, sslContext, context in
                let client = Curl.client(context)
                client.handshakeStarts()
                let isSet =
                    client.keyLogPath.map { $0.withCString { weir_ssl_ctx_log_keys(sslContext, $0) } }
                    ?? weir_ssl_ctx_log_keys(sslContext, nil)
                return isSet != 0 ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
            },
            prereq: { context, remoteAddress, localAddress, remotePort, localPort in
                let goesOn = Curl.client(context).requestStarts(
                    localAddress: Curl.text(localAddress), localPort: Int(localPort),
                    remoteAddress: Curl.text(remoteAddress), remotePort: Int(remotePort))
                return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            })
    }

    private static func client(_ context: UnsafeMutableRawPointer) -> EasyHandle {
        Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer, pointer.pointee != 0 else { return nil }
        return String(cString: pointer)
    }
}
#endif
