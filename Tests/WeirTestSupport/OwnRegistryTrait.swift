package import Testing
import WeirModel

/// Runs each test with a registry of units of its own, so that it sees neither units nor strays of tests beside it.
package struct OwnRegistryTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await UnitOfWork.Registry.$current.withValue(.init()) { try await function() }
    }
}

extension Trait where Self == OwnRegistryTrait {
    package static var ownRegistry: Self { Self() }
}
