import Foundation
import Synchronization
public import WeirModel

extension NetworkAudit {
    /// What the app knows of its requests: those of one route need something from one of another.
    struct Declaration: Sendable, Hashable {
        var target: RouteTemplate
        var source: RouteTemplate
    }

    /// Declares that requests of one route need what a request of another brings.
    ///
    /// For dependencies that no value shows: something that is decided by a response, or a state of the server. In every
    /// later ``report``, and every report of ``measure(_:isolation:_:)``, each request whose path fits `target` gets a
    /// certain edge, declared as evidence, to the last one whose path fits `source` and that had ended before it began. Where
    /// none had, there is no edge. Declaring the same twice changes nothing; ``reset()`` keeps declarations.
    ///
    /// ```swift
    /// audit.dependency(of: "recommendations/**", on: "me")
    /// ```
    ///
    /// - Parameters:
    ///   - target: The route of the requests that need something.
    ///   - source: The route of those that bring it.
    public func dependency(of target: RouteTemplate, on source: RouteTemplate) {
        let declaration = Declaration(target: target, source: source)
        declarations.withLock { if !$0.contains(declaration) { $0.append(declaration) } }
    }

    /// Declares that requests of one route need what a request of another brings.
    ///
    /// - Parameters:
    ///   - target: The route of the requests that need something, such as `books/:id`.
    ///   - source: The route of those that bring it.
    public func dependency(of target: String, on source: String) {
        dependency(of: RouteTemplate(target), on: RouteTemplate(source))
    }

    /// The records with the edges that were declared.
    func declared(_ records: [TaskRecord]) -> [TaskRecord] {
        Self.apply(declarations.withLock { $0 }, to: records)
    }

    static func apply(_ declarations: [Declaration], to records: [TaskRecord]) -> [TaskRecord] {
        guard !declarations.isEmpty else { return records }
        var result = records
        for declaration in declarations {
            func fits(_ template: RouteTemplate, _ record: TaskRecord) -> Bool {
                record.transactions.first.map { template.matches(path: $0.request.url.path) } ?? false
            }
            let sources = records.filter { fits(declaration.source, $0) }.sorted { $0.end < $1.end }
            guard !sources.isEmpty else { continue }
            for index in result.indices where fits(declaration.target, result[index]) {
                let start = result[index].start
                let source = sources.last { $0.end <= start + $0.clockResolution && $0.id != result[index].id }
                guard let source,
                    !result[index].edges.contains(where: { $0.source == source.id && $0.kind == .declared })
                else { continue }
                result[index].edges.append(TaskRecord.Edge(source: source.id, kind: .declared, grade: .certain))
            }
        }
        return result
    }
}
