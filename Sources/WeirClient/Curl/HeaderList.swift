#if !canImport(Darwin)
import CWeirCurl

/// Header lines in the form that libcurl takes; freed with the object.
///
/// `@unchecked Sendable`: the list is complete when `init` returns and nobody changes it afterwards; libcurl only reads it.
final class HeaderList: @unchecked Sendable {
    let first: UnsafeMutablePointer<curl_slist>?

    /// - Parameter lines: Header lines without line ends; none holds a NUL.
    init(_ lines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // On failure (no memory) the list so far stays as it was.
            if let longer = curl_slist_append(list, line) { list = longer }
        }
        first = list
    }

    deinit { curl_slist_free_all(first) }
}
#endif
