import Foundation
import WeirModel

extension HAREntry {
    mutating func readResponse(
        _ value: HARMembers?, entry: HARMembers, _ fields: inout HARFields, _ texts: TextCache
    ) {
        var kept: [HeaderField] = []
        kept.reserveCapacity(8)
        var location: String?
        fields.headers(value?[.headers], "response.headers", .inResponses, texts) { lowercased, name, value in
            switch lowercased {
            case "content-length": sizes.contentLength = HeaderValue.contentLength(value)
            case "content-encoding": sizes.isCompressed = sizes.isCompressed || HeaderValue.isCompression(value)
            case "location":
                location = value
                return
            case "non-authoritative-reason":
                isInternalRedirect = true
                return
            default: break
            }
            kept.append(HeaderField(name: name, value: value))
        }
        responseHeaderFields = kept
        readSizes(value, &fields, texts)
        failure = errorText(value, entry, &fields)
        status = fields.integer(value?[.status], "response.status")
        if let status, [301, 302, 303, 307, 308].contains(status) {
            // Internet Explorer has a name of its own for it.
            redirectTarget =
                fields.text(value?[.redirectURL], "response.redirectURL")
                ?? fields.text(value?[.redirectionURL], "response.redirectionURL") ?? location
            if status == 307, value?[.statusText]?.string == "Internal Redirect" { isInternalRedirect = true }
        }
        readOrigin(value, entry, &fields)
    }

    /// Completes what depends on the program that wrote the file, which may be named after the entries.
    mutating func settle(as exporter: HARExporter) {
        if let status, 100...999 ~= status {
            response = Transaction.Response(statusCode: status, headerFields: responseHeaderFields)
        }
        fetchType = toldFetchType ?? likelyFetchType(exporter)
        guard response == nil, failure == nil else { return }
        if fetchType == .localCache, status == 0 {
            // Firefox: a cached response whose status was not recorded.
            response = Transaction.Response(statusCode: 0, headerFields: responseHeaderFields)
        } else {
            failure =
                switch status {
                case nil: "The recording has no response for this request."
                case 0, -1: "No response: the request was blocked, cancelled or failed; the recording does not say why."
                case let status?: "The recorded status \(status) is no HTTP status."
                }
        }
    }

    private mutating func readSizes(_ value: HARMembers?, _ fields: inout HARFields, _ texts: TextCache) {
        sizes.head = fields.number(value?[.headersSize], "response.headersSize")
        sizes.body = fields.number(value?[.bodySize], "response.bodySize")
        sizes.transfer = fields.number(value?[.transferSize], "response._transferSize")
        guard let object = fields.object(value?[.content], "response.content") else { return }
        let content = texts.places.content.members(of: object)
        sizes.content = fields.number(content[.size], "response.content.size")
        sizes.compression = fields.number(content[.compression], "response.content.compression")
        if (sizes.content ?? -1) <= 0 { sizes.text = HARBody.size(ofContent: content) }
    }

    /// What the exporters write where a request failed: Chrome, mitmproxy, Safari; Playwright; Charles.
    private func errorText(_ value: HARMembers?, _ entry: HARMembers, _ fields: inout HARFields) -> String? {
        if let error = Self.errorText(value?[.error], "response._error", &fields)
            ?? Self.errorText(entry[.error], "_error", &fields)
            ?? Self.errorText(value?[.failureText], "response._failureText", &fields)
        {
            return error
        }
        guard let status = (value?[.charlesStatus] ?? entry[.charlesStatus])?.string, status != "COMPLETE" else {
            return nil
        }
        return "Charles: \(status)"
    }

    private static func errorText(_ error: JSONView?, _ path: String, _ fields: inout HARFields) -> String? {
        guard let error else { return nil }
        // capture-har writes an object.
        if error.isObject { return fields.text(error["message"], path) ?? "The request failed." }
        return fields.text(error, path)
    }

    /// What the entry says of where the response came from.
    private mutating func readOrigin(_ value: HARMembers?, _ entry: HARMembers, _ fields: inout HARFields) {
        wasPushed = fields.flag(entry[.wasPushed], "_was_pushed") == true
        hasCacheState = entry[.cache]?["beforeRequest"]?.isObject == true
        if isInternalRedirect || fields.text(entry[.fromCache], "_fromCache") != nil {
            toldFetchType = .localCache
            return
        }
        switch (entry[.fetchType] ?? value?[.fetchType])?.string {
        case "Memory Cache", "Disk Cache", "Service Worker", "Inspector Override": toldFetchType = .localCache
        case "Network Load": toldFetchType = .networkLoad
        default:
            let viaWorker = value?[.fetchedViaServiceWorker] ?? entry[.fetchedViaServiceWorker]
            if fields.flag(viaWorker, "_fetchedViaServiceWorker") == true, (sizes.transfer ?? 0) <= 0 {
                // What the worker itself fetched has an entry of its own.
                toldFetchType = .localCache
            }
        }
    }

    /// Where the response most likely came from, for an entry that does not say so.
    private func likelyFetchType(_ exporter: HARExporter) -> Transaction.ResourceFetchType {
        let hasNetworkTime = (timings.connect ?? 0) > 0 || (timings.dns ?? 0) > 0
        // Nothing was transferred, not even a head, and yet there is a body: Chrome and chrome-har from their caches.
        if status == 200, sizes.transfer == 0, !hasNetworkTime, (sizes.body ?? 0) < -1 || (sizes.content ?? 0) > 0 {
            return .localCache
        }
        if exporter == .chromeHAR, status == 200, sizes.transfer == nil, !hasNetworkTime, hasCacheState {
            // chrome-har writes the state of the cache before the request for hits alone.
            return .localCache
        }
        if exporter == .firefox, failure == nil, status == 200 || status == 0, timings.isEmpty, elapsed ?? 0 == 0,
            remoteAddress == nil, connection == nil, status == 200 || (sizes.content ?? 0) > 0
        {
            return .localCache
        }
        if wasPushed { return .serverPush }
        let wasOnlyBlocked = timings.tls == 0 && timings.sum == max(0, timings.blocked ?? 0)
        return response == nil && wasOnlyBlocked ? .unknown : .networkLoad
    }
}
