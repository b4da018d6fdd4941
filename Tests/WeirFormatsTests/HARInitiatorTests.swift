import Foundation
import Testing

@testable import WeirFormats
import WeirModel

/// Who made a browser ask, as exporters write it.
@Suite struct HARInitiatorTests {
    /// A file of entries: each a URL, its start and end in milliseconds, and more members.
    private func edges(_ entries: [(url: String, start: Int, time: Int, more: String)]) throws -> [[TaskRecord.Edge]] {
        let list = entries.map { entry in
            """
            {"startedDateTime":"2026-11-30T09:00:\(String(format: "%02d.%03d", entry.start / 1000, entry.start % 1000))Z",
            "time":\(entry.time),"request":{"method":"GET","url":"\(entry.url)","headers":[]},
            "response":{"status":200,"headers":[{"name":"Content-Type","value":"text/html"}],
            "content":{"size":5,"mimeType":"text/html","text":"<html"}},
            "timings":{"send":0,"wait":\(entry.time),"receive":0}\(entry.more)}
            """
        }
        let file =
            #"{"log":{"version":"1.2","creator":{"name":"WebInspector","version":"1"},"pages":[],"entries":[\#(list.joined(separator: ","))]}}"#
        let recording = try HARReader.read(Data(file.utf8))
        return recording.records.map { $0.edges.filter { $0.kind == .initiator } }
    }

    @Test func aParserNeedsTheDocument() throws {
        let found = try edges([
            ("http://h/page", 0, 100, ""),
            ("http://h/a.js", 120, 50, #","_initiator":{"type":"parser","url":"http://h/page#top","lineNumber":3}"#),
            (
                "http://h/data", 200, 50,
                #","_initiator":{"type":"script","stack":{"callFrames":[{"url":""},{"url":"http://h/a.js"}]}}"#
            ),
        ])
        #expect(found[0] == [])
        #expect(found[1].map(\.grade) == [.likely] && found[1].map(\.source) == [0])
        #expect(found[2].map(\.source) == [1])
    }

    @Test func stringsOfOtherExporters() throws {
        let found = try edges([
            ("http://h/page", 0, 100, ""),
            (
                "http://h/a.js", 120, 50,
                #","_initiator":"http://h/page","_initiator_line":3,"_initiator_type":"parser""#
            ),
            ("http://h/b.js", 120, 50, #","_initiator":"http://h/page","_initiator_type":"preload""#),
        ])
        #expect(found.map(\.count) == [0, 1, 0])
    }

    @Test func ambiguousAndImpossibleOnesAreNone() throws {
        let more = #","_initiator":{"type":"parser","url":"http://h/page"}"#
        // Two could have been it.
        #expect(
            try edges([("http://h/page", 0, 50, ""), ("http://h/page", 60, 50, ""), ("http://h/a", 150, 9, more)])[2]
                == [])
        // It had not answered yet.
        #expect(try edges([("http://h/page", 0, 100, ""), ("http://h/a", 50, 9, more)])[1] == [])
        // Itself, nothing, and what is none.
        for odd in [
            more.replacing("page", with: "a"), #","_initiator":{}"#, #","_initiator":7"#,
            #","_initiator":{"type":"other"}"#,
        ] {
            #expect(try edges([("http://h/page", 0, 50, ""), ("http://h/a", 150, 9, odd)])[1] == [])
        }
    }
}
