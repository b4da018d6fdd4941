/// The names of the members that are looked for in an entry, in its request and response, and in what is in those.
enum HARKey: Int, CaseIterable, Sendable {
    // The entry.
    case pageref, startedDateTime, time, request, response, cache, timings, connection, serverIPAddress, socket
    case connectionReused, otherIPAddress, serverPort, securityDetails, otherProtocol, allStart, loadStart
    case wasPushed, fromCache, initiator, initiatorType, weirTask, weirTransaction

    // The entry or its response.
    case error, charlesStatus, fetchType, fetchedViaServiceWorker

    // The request or the response.
    case httpVersion, headers, headersSize, bodySize
    case method, url, postData
    case status, statusText, redirectURL, redirectionURL, content, transferSize, failureText

    // The content.
    case size, compression, mimeType, text, encoding

    // The timings.
    case blocked, dns, connect, ssl, send, wait, receive, blockedQueueing, blockedProxy

    /// As the file has it.
    var name: StaticString {
        switch self {
        case .pageref: "pageref"
        case .startedDateTime: "startedDateTime"
        case .time: "time"
        case .request: "request"
        case .response: "response"
        case .cache: "cache"
        case .timings: "timings"
        case .connection: "connection"
        case .serverIPAddress: "serverIPAddress"
        case .socket: "_socket"
        case .connectionReused: "_connectionReused"
        case .otherIPAddress: "_ip_addr"
        case .serverPort: "_serverPort"
        case .securityDetails: "_securityDetails"
        case .otherProtocol: "_protocol"
        case .allStart: "_all_start"
        case .loadStart: "_load_start"
        case .wasPushed: "_was_pushed"
        case .fromCache: "_fromCache"
        case .initiator: "_initiator"
        case .initiatorType: "_initiator_type"
        case .weirTask: "_weirTask"
        case .weirTransaction: "_weirTransaction"
        case .error: "_error"
        case .charlesStatus: "_charlesStatus"
        case .fetchType: "_fetchType"
        case .fetchedViaServiceWorker: "_fetchedViaServiceWorker"
        case .httpVersion: "httpVersion"
        case .headers: "headers"
        case .headersSize: "headersSize"
        case .bodySize: "bodySize"
        case .method: "method"
        case .url: "url"
        case .postData: "postData"
        case .status: "status"
        case .statusText: "statusText"
        case .redirectURL: "redirectURL"
        case .redirectionURL: "redirectionURL"
        case .content: "content"
        case .transferSize: "_transferSize"
        case .failureText: "_failureText"
        case .size: "size"
        case .compression: "compression"
        case .mimeType: "mimeType"
        case .text: "text"
        case .encoding: "encoding"
        case .blocked: "blocked"
        case .dns: "dns"
        case .connect: "connect"
        case .ssl: "ssl"
        case .send: "send"
        case .wait: "wait"
        case .receive: "receive"
        case .blockedQueueing: "_blocked_queueing"
        case .blockedProxy: "_blocked_proxy"
        }
    }
}
