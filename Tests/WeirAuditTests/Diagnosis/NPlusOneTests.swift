import Testing
import WeirAudit
import WeirModel

/// One request for each element, where the URL does not tell.
@Suite struct NPlusOneTests {
    private func post(_ index: Int, body: UInt64, operation: UInt64? = nil, element: Int? = nil) -> TaskRecord {
        var record = task(
            100 + Double(index) * 40, 130 + Double(index) * 40, "http://h/graphql", method: "POST", body: body)
        record.transactions[0].requestOperationDigest = operation.map(BodyDigest.init)
        record.isExamined = true
        if let element {
            record.edges = [
                .init(
                    source: 900, kind: .valueFlow, grade: .certain, sourcePlace: "$[\(element)].id",
                    targetPlace: "$.id of the body")
            ]
        }
        return record
    }

    private var list: TaskRecord {
        var list = task(0, 60, "http://h/list")
        list.id = 900
        list.isExamined = true
        return list
    }

    private func lists(_ records: [TaskRecord]) -> [Finding] {
        NetworkAudit.Report(records: records).findings.filter { $0.rule == .nPlusOne }
    }

    @Test func oneOperationWithManyVariables() throws {
        let finding = try #require(lists((0..<6).map { post($0, body: UInt64($0), operation: 7) }).first)
        #expect(finding.requests == Array(0..<6) && finding.grade == .likely)
        #expect(finding.evidence == ["6 different sets of variables of one GraphQL operation."])
    }

    @Test func differentOperationsAreNone() {
        #expect(lists((0..<8).map { post($0, body: UInt64($0), operation: UInt64($0)) }).isEmpty)
    }

    @Test func elementsInBodies() throws {
        let finding = try #require(lists([list] + (0..<3).map { post($0, body: UInt64($0), element: $0) }).first)
        #expect(finding.requests == [1, 2, 3] && finding.grade == .certain)
        #expect(finding.evidence.first == "The values are the elements of $[*].id of #1.")
        // Bodies that only differ are events, or anything.
        #expect(lists((0..<9).map { post($0, body: UInt64($0)) }).isEmpty)
    }
}
