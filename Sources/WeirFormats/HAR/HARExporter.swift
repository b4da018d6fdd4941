/// A program that writes HAR files, where that program's habits matter.
enum HARExporter: Sendable, Hashable {
    /// Chrome's and Edge's developer tools.
    case webInspector
    /// The chrome-har library: browsertime, sitespeed.io.
    case chromeHAR
    /// Firefox's developer tools, and Firebug before them.
    case firefox
    /// Safari's Web Inspector.
    case safari
    /// Internet Explorer's network inspector.
    case internetExplorer
    case webPageTest
    case playwright
    case mitmproxy
    /// Pulse (kean/Pulse), an in-app recorder.
    case pulse
    case other

    /// Knows a program by the names in `log.creator` and `log.browser`.
    init(creator: String?, browser: String?) {
        let creator = (creator ?? "").lowercased()
        let browser = (browser ?? "").lowercased()
        self =
            if creator.hasPrefix("webinspector") {
                .webInspector
            } else if creator.hasPrefix("chrome-har") || creator.hasPrefix("browsertime") {
                .chromeHAR
            } else if creator.hasPrefix("webkit web inspector") {
                .safari
            } else if creator.hasPrefix("firefox") || creator.hasPrefix("firebug")
                || creator.hasPrefix("har export trigger") || (creator.isEmpty && browser.hasPrefix("firefox"))
            {
                .firefox
            } else if creator.hasPrefix("internet explorer") {
                .internetExplorer
            } else if creator.hasPrefix("webpagetest") {
                .webPageTest
            } else if creator.hasPrefix("playwright") {
                .playwright
            } else if creator.hasPrefix("mitmproxy") {
                .mitmproxy
            } else if creator.hasPrefix("pulse") {
                .pulse
            } else {
                .other
            }
    }

    /// Whether `connection` is the browser's id of the connection, even where a file has one alone.
    var writesConnectionIDs: Bool { self == .webInspector || self == .chromeHAR }
}
