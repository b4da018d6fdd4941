import Foundation
import WeirModel

extension RequestURL {
    /// The URL of a record: without user name and password, which are nobody's business.
    init(withoutUserInfo text: String) {
        if text.utf8.contains(UInt8(ascii: "@")), var components = URLComponents(string: text), components.user != nil {
            components.user = nil
            components.password = nil
            self.init(components.string ?? text)
        } else {
            self.init(text)
        }
    }

    /// Whether the host is an IP address rather than a name.
    var hostIsAddress: Bool {
        let host = host.utf8
        if host.first == UInt8(ascii: "[") { return true }
        return !host.isEmpty && host.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    }
}
