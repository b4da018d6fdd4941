import Foundation
import Testing
import WeirTestSupport

@testable import WeirCLI

/// A browser that loads a page from `weir serve`.
@Suite(
    .serialized,
    .enabled(
        if: HeadlessBrowser.path != nil || HeadlessBrowser.isRequired,
        "There is no Chromium here: install Debian's package chromium to run a browser against 'weir serve'."))
struct ServedPageTests {
    private static let page = """
        <!doctype html><html><title>Books</title><body><p id="shown">waiting</p>
        <script>
        Promise.all([
          fetch("data/books.json").then(response => response.json()),
          fetch("data/none.json").then(response => response.status),
        ]).then(([books, status]) => {
          document.getElementById("shown").textContent = books.map(book => book.title).join(" and ") + ", " + status;
        }, error => { document.getElementById("shown").textContent = String(error); });
        </script></body></html>
        """

    /// Serves the page, opens it, and gives what it showed and what the server has printed.
    private func open(_ options: [String], _ arguments: [String] = []) async throws -> (
        document: String, lines: [String]
    ) {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path + "/data", withIntermediateDirectories: true)
        _ = try scratch.file("index.html", Data(Self.page.utf8))
        _ = try scratch.file("data/books.json", Data(#"[{"title": "Emma"}, {"title": "Persuasion"}]"#.utf8))
        let profile = try Scratch()
        let running = Running(["serve", scratch.path] + options)
        let url = await running.url()
        let opened: Result<(document: String, errors: String), any Error>
        do {
            opened = .success(
                try await HeadlessBrowser.open(
                    url + "/", in: URL(fileURLWithPath: profile.path), arguments: arguments))
        } catch {
            opened = .failure(error)
        }
        let outcome = await running.interrupt()
        #expect(outcome.status == .success)
        let (document, errors) = try opened.get()
        #expect(document.contains("shown"), "\(errors.suffix(2000))")
        return (document, outcome.output.split(separator: "\n").map(String.init))
    }

    private func check(_ document: String, _ lines: [String]) {
        #expect(document.contains(#"<p id="shown">Emma and Persuasion, 404</p>"#), "\(document)")
        func count(_ status: String, _ request: String) -> Int {
            lines.count { $0.hasPrefix(status + "  ") && $0.hasSuffix(" " + request) }
        }
        #expect(count("200", "GET /") == 1, "\(lines)")
        #expect(count("200", "GET /data/books.json") == 1, "\(lines)")
        #expect(count("404", "GET /data/none.json") == 1, "\(lines)")
    }

    @Test func showsWhatItsScriptFetched() async throws {
        let (document, lines) = try await open([])
        check(document, lines)
    }

    #if os(Linux)
    @Test func showsItOverTLS() async throws {
        let (document, lines) = try await open(["--tls"], ["--ignore-certificate-errors"])
        #expect(lines.first?.hasPrefix("https://") == true)
        check(document, lines)
    }
    #endif

    /// Over a link the page takes its time, and shows the same.
    @Test func showsItOverALink() async throws {
        let (document, lines) = try await open(["--link", "2000/1000/50"])
        check(document, lines)
    }
}
