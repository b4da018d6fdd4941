/// The names of TLS cipher suites by their numbers, as the registry of IANA has them.
public enum TLSCipherSuite {
    /// The name of a suite, such as `TLS_AES_128_GCM_SHA256` for 0x1301; nil for one that is not in use any more.
    public static func name(of number: UInt16) -> String? { names[number] }

    /// The suites of TLS 1.3 (RFC 8446, RFC 9150), those of TLS 1.2 that servers still offer, and the common older ones.
    private static let names: [UInt16: String] = [
        0x1301: "TLS_AES_128_GCM_SHA256",
        0x1302: "TLS_AES_256_GCM_SHA384",
        0x1303: "TLS_CHACHA20_POLY1305_SHA256",
        0x1304: "TLS_AES_128_CCM_SHA256",
        0x1305: "TLS_AES_128_CCM_8_SHA256",
        0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        0xCCAA: "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        0xC0AC: "TLS_ECDHE_ECDSA_WITH_AES_128_CCM",
        0xC0AD: "TLS_ECDHE_ECDSA_WITH_AES_256_CCM",
        0xC0AE: "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8",
        0xC0AF: "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8",
        0xC05C: "TLS_ECDHE_ECDSA_WITH_ARIA_128_GCM_SHA256",
        0xC05D: "TLS_ECDHE_ECDSA_WITH_ARIA_256_GCM_SHA384",
        0xC060: "TLS_ECDHE_RSA_WITH_ARIA_128_GCM_SHA256",
        0xC061: "TLS_ECDHE_RSA_WITH_ARIA_256_GCM_SHA384",
        0x009E: "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256",
        0x009F: "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384",
        0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256",
        0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384",
        0xC023: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
        0xC024: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384",
        0xC027: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
        0xC028: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384",
        0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
        0xC00A: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
        0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        0x0067: "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256",
        0x006B: "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256",
        0x0033: "TLS_DHE_RSA_WITH_AES_128_CBC_SHA",
        0x0039: "TLS_DHE_RSA_WITH_AES_256_CBC_SHA",
        0x003C: "TLS_RSA_WITH_AES_128_CBC_SHA256",
        0x003D: "TLS_RSA_WITH_AES_256_CBC_SHA256",
        0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA",
        0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA",
        0x000A: "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
        0xC012: "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
    ]
}

extension Transaction {
    /// The name of the TLS cipher suite in IANA's registry; nil where it is unknown.
    public var negotiatedTLSCipherSuiteName: String? {
        negotiatedTLSCipherSuite.flatMap(TLSCipherSuite.name)
    }

    /// The TLS version in words, such as `TLS 1.3`; nil where it is unknown.
    public var negotiatedTLSProtocolVersionName: String? {
        switch negotiatedTLSProtocolVersion {
        case 0x0301: "TLS 1.0"
        case 0x0302: "TLS 1.1"
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        default: nil
        }
    }
}
