import Testing
import WeirAudit
import WeirModel
import WeirReports

@Suite struct TextCriticalPathTests {
    @Test func thePathAndItsEvidenceAreToldWithinTheWidth() {
        let report = NetworkAudit.Report(records: PageSample.naive)
        let text = TextCriticalPath(report, width: 60).text
        let lines = text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("◆ Critical path: #2, #") == true)
        #expect(text.contains("bookID of #2 is the last path segment of #"))
        #expect(lines.allSatisfy { $0.count <= 60 })
        #expect(TextCriticalPath(report, style: .ascii).text.hasPrefix("* Critical path"))
    }

    @Test func whatWasNotLookedAtIsTold() {
        var records = PageSample.naive
        for index in 5..<records.count { records[index].isExamined = false }
        #expect(
            TextCriticalPath(NetworkAudit.Report(records: records), width: 200).text.contains(
                "Dependency evidence for 5 of 9 requests: the path is between 2 requests ("))
        for index in records.indices {
            records[index].isExamined = false
            records[index].edges = []
        }
        #expect(TextCriticalPath(NetworkAudit.Report(records: records)).text.isEmpty)
    }

    @Test func hostileNamesAreWrittenOut() {
        var records = PageSample.naive
        records[6].edges = [
            .init(
                source: 2, kind: .valueFlow, grade: .certain, sourcePlace: "$.\u{1B}]0;x\u{7}\n",
                targetPlace: "\u{202E}a")
        ]
        for index in 2...5 { records[index].edges = [] }
        let text = TextCriticalPath(NetworkAudit.Report(records: records)).text
        #expect(text.contains("#7") && !text.unicodeScalars.contains { $0 != "\n" && Terminal.isActive($0) })
    }
}
