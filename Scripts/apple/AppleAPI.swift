// What of Apple's SDK the sources use and Linux has not, as declarations alone, for `Scripts/typecheck-apple`. It is imported into
// every file that is checked; nothing of it is ever built into anything. Where a type has another shape there (bridging to
// Core Foundation, Objective-C's optional methods), `Scripts/apple/expected.txt` says what cannot be checked.
@_exported import Foundation
@_exported import FoundationNetworking
@_exported import Glibc

// Darwin

public let EVFILT_READ: Int32 = -1
public let EVFILT_WRITE: Int32 = -2
public let EV_ADD: Int32 = 1
public let EV_CLEAR: Int32 = 0x20
public let EV_EOF: Int32 = 0x8000
public let SO_NOSIGPIPE: Int32 = 0x1022

public struct kevent64_s {
    public var ident: UInt64
    public var filter: Int16
    public var flags: UInt16
    public var fflags: UInt32
    public var data: Int64
    public var udata: UInt64
    public var ext: (UInt64, UInt64)
    public init() { fatalError() }
}

public func kqueue() -> Int32 { fatalError() }
public func kevent64(
    _ queue: Int32, _ changes: UnsafePointer<kevent64_s>!, _ changeCount: Int32,
    _ events: UnsafeMutablePointer<kevent64_s>!, _ eventCount: Int32, _ flags: UInt32, _ timeout: UnsafePointer<timespec>!
) -> Int32 { fatalError() }
public func clock_gettime_nsec_np(_ clock: Int32) -> UInt64 { fatalError() }
public func pthread_mach_thread_np(_ thread: pthread_t) -> UInt32 { fatalError() }

extension stat {
    public var st_mtimespec: timespec { fatalError() }
    public var st_ctimespec: timespec { fatalError() }
}
extension sockaddr_in {
    public var sin_len: UInt8 {
        get { fatalError() }
        set { fatalError() }
    }
}
extension sockaddr_in6 {
    public var sin6_len: UInt8 {
        get { fatalError() }
        set { fatalError() }
    }
}

// Core Foundation, as the values to which the bridge leads

public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFString = String
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public func CFGetTypeID(_ value: CFTypeRef!) -> CFTypeID { fatalError() }

// Security and CryptoKit

public final class SecTrust {}
public final class SecCertificate {}
public final class SecKey {}
public final class SecIdentity {}
public typealias OSStatus = Int32
public let errSecSuccess: OSStatus = 0
public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeySizeInBits: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = ""
public let kSecImportExportPassphrase: CFString = ""
public let kSecImportItemIdentity: CFString = ""
public let kSecImportItemCertChain: CFString = ""
@discardableResult public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { fatalError() }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<AnyObject?>?) -> Bool { fatalError() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }
public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: CFData) -> SecCertificate? { fatalError() }
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { fatalError() }
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<AnyObject?>?) -> CFData? { fatalError() }
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { fatalError() }
public func SecIdentityGetTypeID() -> CFTypeID { fatalError() }
public func SecPKCS12Import(_ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    fatalError()
}

public enum SHA256 {
    public struct Digest: Sequence {
        public func makeIterator() -> IndexingIterator<[UInt8]> { fatalError() }
    }
    public static func hash(data: some DataProtocol) -> Digest { fatalError() }
}

// Foundation

public let NSURLAuthenticationMethodServerTrust = ""
public let NSURLAuthenticationMethodClientCertificate = ""
public struct Selector {}

extension NSObjectProtocol {
    public func responds(to selector: Selector?) -> Bool { fatalError() }
}

public enum tls_protocol_version_t: UInt16 {
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
}

extension URLProtectionSpace { public var serverTrust: SecTrust? { fatalError() } }
extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
    public convenience init(identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence) { fatalError() }
}
extension URLCache {
    public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL?) { fatalError() }
}
extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set { fatalError() }
    }
    public var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set { fatalError() }
    }
    public var allowsExpensiveNetworkAccess: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    public var allowsConstrainedNetworkAccess: Bool {
        get { fatalError() }
        set { fatalError() }
    }
}
extension URLSession {
    public struct AsyncBytes: AsyncSequence, Sendable {
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> UInt8? { fatalError() }
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? { fatalError() }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
    }
}

// os

public struct OSSignpostID: Sendable {
    public init(_ value: UInt64) { fatalError() }
}
public final class OSSignpostIntervalState {
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { fatalError() }
}
public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { fatalError() }
}
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) { fatalError() }
    public mutating func appendLiteral(_ literal: String) { fatalError() }
    public mutating func appendInterpolation(
        _ text: @autoclosure @escaping () -> String, privacy: OSLogPrivacy
    ) { fatalError() }
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: @autoclosure @escaping () -> Number, privacy: OSLogPrivacy
    ) { fatalError() }
}
public struct SignpostMetadata: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { fatalError() }
    public init(stringInterpolation: OSLogInterpolation) { fatalError() }
}
public struct OSSignposter: Sendable {
    public init(subsystem: String, category: String) { fatalError() }
    public var isEnabled: Bool { fatalError() }
    public func makeSignpostID() -> OSSignpostID { fatalError() }
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState { fatalError() }
    public func endInterval(
        _ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata
    ) { fatalError() }
    public func emitEvent(_ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata) { fatalError() }
}
