import Foundation

/// What a server says in the body of a response to a metrics request.
enum OTLPResponse {
    /// The points that it did not take of a request that it took otherwise, and why; or the message of a refusal.
    ///
    /// Source: opentelemetry-proto, `ExportMetricsServiceResponse`; `google.rpc.Status` for refusals.
    static func read(_ data: Data) -> (rejected: UInt64, message: String) {
        guard data.count <= OTLPExporter.responseLimit,
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return (0, "") }
        let partial = object["partialSuccess"] as? [String: Any]
        let message = (partial?["errorMessage"] ?? object["message"]) as? String ?? ""
        return (number(partial?["rejectedDataPoints"]), String(message.prefix(400)))
    }

    /// A number of 64 bits: a string of digits, or a number.
    private static func number(_ value: Any?) -> UInt64 {
        if let text = value as? String {
            guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return 0 }
            return UInt64(text) ?? 0
        }
        guard let number = value as? NSNumber else { return 0 }
        let double = number.doubleValue
        return double >= 0 && double < 9e18 ? UInt64(double) : 0
    }
}
