public import Foundation

extension URLError {
    /// The key in `userInfo` under which libcurl's own message is found, off Apple platforms.
    public static let libcurlMessageKey = "WeirLibcurlMessage"
    /// The key in `userInfo` under which libcurl's own result code is found (an `Int`), off Apple platforms.
    public static let libcurlCodeKey = "WeirLibcurlCode"

    /// An error with a sentence for a person.
    init(_ code: Code, sentence: String, url: URL? = nil, details: [String: Any] = [:]) {
        var userInfo = details
        userInfo[NSLocalizedDescriptionKey] = sentence
        if let url {
            userInfo[NSURLErrorFailingURLErrorKey] = url
        }
        self.init(code, userInfo: userInfo)
    }
}
