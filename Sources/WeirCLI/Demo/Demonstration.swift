import Foundation
import WeirAudit
import WeirClient
import WeirServer

/// Runs the "My loans" screen in its versions on an embedded server, and tells whether each is what it should be.
struct Demonstration: Sendable {
    /// One measured version.
    struct Step: Sendable {
        /// Which version.
        enum Kind: String, Sendable, CaseIterable {
            case naive
            case fixed
            case compressed
            case naiveCompressed
            case sixConnections
            case twentyConnections
        }

        var kind: Kind
        var report: NetworkAudit.Report
        /// What was expected of it, and whether it came true.
        var expectations: [Expectation]
        /// How often it was measured: once, unless other work on the machine got in the way of a time.
        var attempts: Int
    }

    /// A sentence that measurements make true or false.
    struct Expectation: Sendable, Hashable {
        var sentence: String
        var holds: Bool
        /// Whether a slow machine can make it false.
        var dependsOnTime: Bool

        init(_ sentence: String, _ holds: Bool, dependsOnTime: Bool = false) {
            self.sentence = sentence
            self.holds = holds
            self.dependsOnTime = dependsOnTime
        }
    }

    /// The budget that the fixed version keeps to.
    static let budget = NetworkBudget(maxRequests: 4, maxRoundTrips: 2, maxWireBytes: 2_000)

    /// How many images the grid has.
    static let thumbnails = 40

    /// How often a step is measured before a time is believed to be wrong.
    static let mostAttempts = 5

    /// Measures every version in turn.
    ///
    /// - Parameter onStep: Called with each step when it was measured, and with those before it.
    static func run(onStep: (Step, [Step]) throws -> Void) async throws -> [Step] {
        let plain = try await LibraryServer.start(isCompressed: false)
        let compressed = try await LibraryServer.start(isCompressed: true)
        defer {
            plain.stop()
            compressed.stop()
        }
        var steps: [Step] = []
        for kind in Step.Kind.allCases {
            try Task.checkCancellation()
            let baseURL = kind == .compressed || kind == .naiveCompressed ? compressed.baseURL : plain.baseURL
            let step = try await measure(kind, baseURL, after: steps)
            steps.append(step)
            try onStep(step, steps)
        }
        return steps
    }

    private static func measure(_ kind: Step.Kind, _ baseURL: URL, after steps: [Step]) async throws -> Step {
        var attempts = 0
        while true {
            attempts += 1
            let report = try await measure(kind, baseURL)
            let expectations = expectations(of: kind, report, after: steps)
            let step = Step(kind: kind, report: report, expectations: expectations, attempts: attempts)
            // Only what a busy machine can spoil is measured again.
            let isSpoiled = expectations.contains { !$0.holds && $0.dependsOnTime }
            if !isSpoiled || attempts == mostAttempts { return step }
        }
    }

    /// Measures one version once, over a session of its own, so that its connections are its own.
    private static func measure(_ kind: Step.Kind, _ baseURL: URL) async throws -> NetworkAudit.Report {
        let audit = NetworkAudit()
        var configuration = HTTPSession.Configuration()
        configuration.proxy = .none
        configuration.httpMaximumConnectionsPerHost = kind == .twentyConnections ? 20 : 6
        let session = HTTPSession(configuration: configuration)
        defer { session.invalidate() }
        let library = LibraryAPI(session: session, baseURL: baseURL)
        switch kind {
        case .naive, .naiveCompressed:
            return try await audit.measure("My loans, naive") { try await LoansScreen.loadNaively(library) }.1
        case .fixed, .compressed:
            return try await audit.measure("My loans, fixed") { try await LoansScreen.load(library) }.1
        case .sixConnections, .twentyConnections:
            return try await audit.measure("Covers") {
                try await ThumbnailGrid.load(count: thumbnails, library)
            }.1
        }
    }
}
