#if !canImport(Darwin)
import CWeirCurl
import Foundation
import FoundationNetworking
import WeirModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension URLError {
    /// The error that URLSession would give for what libcurl met, or for why we ended the exchange.
    ///
    /// The handle must be in the caller's hands.
    init(_ handle: EasyHandle, url: URL, isAbandoned: Bool) {
        if let failure = handle.failure {
            self.init(failure, url: url)
            return
        }
        let result = isAbandoned ? CURLE_ABORTED_BY_CALLBACK : handle.result
        let message = isAbandoned ? nil : handle.easy.message
        let standard = String(cString: curl_easy_strerror(result))
        var details: [String: Any] = [
            Self.libcurlCodeKey: Int(result.rawValue), Self.libcurlMessageKey: message ?? standard,
        ]
        let problem =
            isAbandoned
            ? nil
            : Self.certificateProblem(
                result, handle.easy.number(CURLINFO_SSL_VERIFYRESULT), message: message ?? "")
        details[Self.certificateProblemKey] = problem?.rawValue
        let code = Self.code(
            result, message: message ?? "", problem: problem, isConnected: handle.marks.requestStart != nil)
        var sentence = message ?? standard
        if let problem, problem != .other {
            sentence = "\(problem.sentence(host: url.host ?? "the server")) (libcurl: \(sentence))"
        } else if !isAbandoned, let better = Self.sentence(handle) {
            sentence = "\(better) (libcurl: \(sentence))"
        }
        self.init(code, sentence: sentence, url: url, details: details)
    }

    /// What happened, where libcurl's words hide it.
    private static func sentence(_ handle: EasyHandle) -> String? {
        let marks = handle.marks
        switch handle.result {
        case CURLE_COULDNT_CONNECT, CURLE_ABORTED_BY_CALLBACK:
            switch handle.socketError {
            case 0: return nil
            case EMFILE: return "The process has no file descriptor left for a socket."
            case ENFILE: return "The system has no file descriptor left for a socket."
            case let code: return "The system gave no socket: \(String(cString: strerror(code)))."
            }
        case CURLE_COULDNT_RESOLVE_HOST where handle.easy.message?.contains("failed to start") == true:
            return "The name could not be looked up: the process has no thread or no file descriptor left for it."
        case CURLE_OUT_OF_MEMORY where marks.requestStart != nil && marks.lastByte == nil:
            return "A line of the response's head is longer than libcurl takes."
        case CURLE_GOT_NOTHING: return "The server closed the connection without an answer."
        default: return nil
        }
    }

    /// An exchange that we ended ourselves.
    init(_ failure: TransferFailure, url: URL) {
        switch failure {
        case .cancelled: self.init(.cancelled, sentence: "The task was cancelled.", url: url)
        case .invalidated: self.init(.cancelled, sentence: "The session was invalidated.", url: url)
        case .noThread:
            self.init(
                .cannotConnectToHost,
                sentence:
                    "The session's thread could not be started: the process has no file descriptor, no thread or no memory left.",
                url: url)
        case .timedOut(let limit, let duration):
            let seconds = "\(duration.seconds) s"
            let sentence =
                switch limit {
                case .request:
                    "Nothing happened for \(seconds) before the response arrived (timeoutIntervalForRequest)."
                case .betweenBytes: "No byte of the body arrived for \(seconds) (timeoutIntervalBetweenBytes)."
                case .resource: "The task was not done after \(seconds) (timeoutIntervalForResource)."
                }
            self.init(.timedOut, sentence: sentence, url: url)
        case .bodyTooLarge(let limit):
            self.init(
                .dataLengthExceedsMaximum, sentence: "The body is larger than \(limit) bytes (maximumDecodedBytes).",
                url: url)
        case .headTooLarge:
            self.init(
                .badServerResponse,
                sentence: "The response's head, or its trailers, are larger than \(HeadAssembler.maximumBytes) bytes.",
                url: url)
        case .headCut:
            self.init(
                .networkConnectionLost, sentence: "The connection ended inside the response's head.", url: url)
        case .malformedHead:
            self.init(.badServerResponse, sentence: "The response's Content-Length is malformed.", url: url)
        case .codedTransfer:
            self.init(
                .badServerResponse,
                sentence: "The response's Transfer-Encoding has another coding than chunked, which was not asked for.",
                url: url)
        case .answeredEarly(let status):
            self.init(
                .badServerResponse,
                sentence: "The server answered with \(status) before the request's body, which has no end, was sent.",
                url: url)
        case .sourceFailed(let message): self.init(.cannotOpenFile, sentence: message, url: url)
        case .sourceExhausted:
            self.init(
                .requestBodyStreamExhausted, sentence: "The request's body is a stream, which cannot be sent twice.",
                url: url)
        }
    }

    /// What was wrong with the server's certificate, by OpenSSL's verdict.
    ///
    /// The host's name is compared by libcurl itself, after OpenSSL was content.
    private static func certificateProblem(
        _ result: CURLcode, _ verifyResult: Int, message: String
    ) -> CertificateProblem? {
        switch result {
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return .otherKey
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: break
        default: return nil
        }
        switch verifyResult {
        case 62, 64: return .wrongHost  // X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
        case 9: return .notYetValid  // X509_V_ERR_CERT_NOT_YET_VALID
        case 10: return .expired  // X509_V_ERR_CERT_HAS_EXPIRED
        case 18: return .selfSigned  // X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
        // X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, ..._SELF_SIGNED_CERT_IN_CHAIN, ..._ISSUER_CERT_LOCALLY,
        // ..._UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED
        case 2, 19, 20, 21, 27: return .unknownAuthority
        case 23: return .revoked  // X509_V_ERR_CERT_REVOKED
        // The verdict is not there when libcurl stops at the name: only its words tell.
        default: return message.contains("subject name") ? .wrongHost : .other
        }
    }

    private static func code(
        _ result: CURLcode, message: String, problem: CertificateProblem?, isConnected: Bool
    ) -> Code {
        switch problem {
        case nil: break
        case .notYetValid: return .serverCertificateNotYetValid
        case .expired: return .serverCertificateHasBadDate
        default: return .serverCertificateUntrusted
        }
        // What the server thinks of the client's certificate comes as an alert, with TLS 1.3 only after the handshake.
        if message.contains("certificate required") { return .clientCertificateRequired }
        let refusals = [
            "bad certificate", "unknown ca", "certificate unknown", "certificate expired", "certificate revoked",
        ]
        if refusals.contains(where: { message.contains("alert " + $0) }) { return .clientCertificateRejected }
        return code(result, message: message, isConnected: isConnected)
    }

    private static func code(_ result: CURLcode, message: String, isConnected: Bool) -> Code {
        switch result {
        case CURLE_UNSUPPORTED_PROTOCOL:
            // Our own check comes first, so it is an answer that is no HTTP.
            isConnected ? .badServerResponse : .unsupportedURL
        case CURLE_URL_MALFORMAT: .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotFindHost
        case CURLE_COULDNT_CONNECT, CURLE_PROXY: .cannotConnectToHost
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            .networkConnectionLost
        case CURLE_RECV_ERROR:
            // Malformed chunks share the code of a lost connection in this version.
            message.contains("chunked-encoding") ? .badServerResponse : .networkConnectionLost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_FILESIZE_EXCEEDED: .badServerResponse
        // A header line above libcurl's limit looks like a lack of memory.
        case CURLE_OUT_OF_MEMORY: isConnected ? .badServerResponse : .unknown
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            .secureConnectionFailed
        case CURLE_SSL_INVALIDCERTSTATUS: .serverCertificateUntrusted
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE: .secureConnectionFailed
        case CURLE_SSL_CERTPROBLEM: .clientCertificateRejected
        case CURLE_SSL_CLIENTCERT: .clientCertificateRequired
        case CURLE_SEND_FAIL_REWIND: .requestBodyStreamExhausted
        case CURLE_READ_ERROR, CURLE_FILE_COULDNT_READ_FILE: .cannotOpenFile
        case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: .userAuthenticationRequired
        case CURLE_TOO_MANY_REDIRECTS: .httpTooManyRedirects
        case CURLE_ABORTED_BY_CALLBACK, CURLE_WRITE_ERROR: .cancelled
        default: .unknown
        }
    }
}

extension Duration {
    fileprivate var seconds: Double { (milliseconds).rounded() / 1000 }
}
#endif
