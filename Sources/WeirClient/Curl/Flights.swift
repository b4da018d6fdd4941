#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Synchronization
import WeirEvidence
import WeirModel

/// The shared transfers of a session, and who waits for them.
final class Flights: Sendable {
    /// What a member goes on with.
    enum Landing: Sendable {
        /// The transfer is over, and the member has it in its record.
        case owns(Flight.Outcome)
        /// The transfer is over, and another one has it.
        case shares(Flight.Outcome)
        /// The member has left.
        case left
    }

    private struct State {
        var board = Flight.Board()
        var waiters: [Flight.Member: UnsafeContinuation<Landing, Never>] = [:]
        var runners: [Flight.ID: Task<Void, Never>] = [:]
        /// Transfers to be ended as soon as they have a runner.
        var ending: Set<Flight.ID> = []
        /// Members that left before they had joined.
        var early: Set<Flight.Member> = []
    }

    private let state = Lock(State())
    private let lastMember = Atomic<UInt64>(0)

    /// How many tasks wait for a transfer at this moment.
    var members: Int { state.withLock { $0.waiters.count } }
    var isEmpty: Bool { state.withLock { $0.board.isEmpty && $0.waiters.isEmpty && $0.early.isEmpty } }

    /// Joins a transfer, or begins one, and waits until it is over or the Swift task is cancelled.
    ///
    /// - Parameter run: Runs the transfer; called when there was none.
    nonisolated(nonsending) func fly(
        _ key: Flight.Key, run: @escaping @Sendable () async -> Flight.Outcome
    ) async -> Landing {
        let member = lastMember.add(1, ordering: .relaxed).newValue
        let landing = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in join(key, member, continuation, run) }
        } onCancel: {
            leave(member)
        }
        state.withLock { _ = $0.early.remove(member) }
        return landing
    }

    private func join(
        _ key: Flight.Key, _ member: Flight.Member, _ continuation: UnsafeContinuation<Landing, Never>,
        _ run: @escaping @Sendable () async -> Flight.Outcome
    ) {
        let joined: Flight.Board.Joined? = state.withLock { state in
            if state.early.remove(member) != nil { return nil }
            state.waiters[member] = continuation
            return state.board.join(key, member)
        }
        switch joined {
        case nil: continuation.resume(returning: .left)
        case .joins: break
        case .begins(let id):
            let runner = Task { [self] in
                let outcome = await run()
                land(id, outcome)
            }
            let mustEnd = state.withLock { state in
                // It may be over already.
                if state.board.isUnderWay(id) { state.runners[id] = runner }
                return state.ending.contains(id)
            }
            if mustEnd { runner.cancel() }
        }
    }

    private func leave(_ member: Flight.Member) {
        let (waiter, runner) = state.withLock {
            state -> (UnsafeContinuation<Landing, Never>?, Task<Void, Never>?) in
            switch state.board.leave(member) {
            case .goes: return (state.waiters.removeValue(forKey: member), nil)
            case .ends(let id):
                state.ending.insert(id)
                return (nil, state.runners[id])
            case .wasNotThere:
                // Not yet, or not any more; `fly` forgets it in either case.
                state.early.insert(member)
                return (nil, nil)
            }
        }
        runner?.cancel()
        waiter?.resume(returning: .left)
    }

    private func land(_ id: Flight.ID, _ outcome: Flight.Outcome) {
        let waiters = state.withLock { state -> [UnsafeContinuation<Landing, Never>] in
            state.runners[id] = nil
            state.ending.remove(id)
            return state.board.complete(id).compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for (index, waiter) in waiters.enumerated() {
            waiter.resume(returning: index == 0 ? .owns(outcome) : .shares(outcome))
        }
    }
}

extension CurlTask {
    /// Takes part in a transfer that identical tasks share.
    nonisolated(nonsending) func join(
        _ key: Flight.Key, _ request: OutgoingRequest, _ options: Options
    ) async throws -> (Data, HTTPURLResponse) {
        let transport = transport
        let landing = await transport.flights.fly(key) {
            let runner = CurlTask(sharedBy: transport, request)
            return await runner.outcome(of: request, options)
        }
        switch landing {
        case .owns(let outcome):
            take(outcome)
            return try outcome.result.get()
        case .shares(let outcome):
            noteShared(request, outcome)
            return try outcome.result.get()
        case .left:
            noteShared(request, nil)
            throw URLError(TransferFailure.cancelled, url: request.url)
        }
    }

    /// Runs a shared transfer.
    private nonisolated(nonsending) func outcome(
        of request: OutgoingRequest, _ options: Options
    ) async -> Flight.Outcome {
        let result: Result<(Data, HTTPURLResponse), any Error>
        do {
            result = .success(try await data(for: request, options))
        } catch {
            result = .failure(error)
        }
        defer { finish(nil) }
        return Flight.Outcome(
            result: result, transactions: transactions, redirectCount: redirectCount, schedulingDelay: schedulingDelay,
            end: lastEnd, isFromElsewhere: isFromElsewhere, passed: passed)
    }

    /// Takes over the transfer's part of the record.
    private func take(_ outcome: Flight.Outcome) {
        transactions = outcome.transactions
        redirectCount = outcome.redirectCount
        schedulingDelay = outcome.schedulingDelay
        isFromElsewhere = outcome.isFromElsewhere
        lastEnd = outcome.end
        look(at: outcome)
    }

    /// Adds the transaction of a transfer that another task has.
    private func noteShared(_ request: OutgoingRequest, _ outcome: Flight.Outcome?) {
        isFromElsewhere = true
        if let outcome { look(at: outcome) }
        guard isObserved else { return }
        let last = outcome.flatMap { outcome in
            outcome.transactions.last.map { last in
                // A confirmed response is that of the look before, as the caller sees it.
                last.response?.statusCode == 304
                    ? outcome.transactions.last { $0.resourceFetchType == .localCache } ?? last : last
            }
        }
        var transaction = Transaction(
            request: Transaction.Request(method: request.method, url: url, headerFields: request.keptFields),
            response: last?.response, resourceFetchType: .coalesced)
        let now = Moment.now
        transaction.fetchStartDate = ProcessClock.date(for: started)
        transaction.responseEndDate = ProcessClock.date(for: now)
        transaction.setNothingOnTheWire()
        transaction.countOfResponseBodyBytesAfterDecoding = last?.countOfResponseBodyBytesAfterDecoding
        transaction.responseBodyDigest = last?.responseBodyDigest
        transactions.append(transaction)
        lastEnd = now
    }

    /// Lets the tap see what passed.
    private func look(at outcome: Flight.Outcome) {
        guard let tap else { return }
        for passed in outcome.passed {
            switch passed {
            case .request(let method, let url, let fields):
                tap.request(method: method, url: url, fields: fields, body: .none)
            case .head(let status, let fields): tap.responseHead(status: status, fields: fields)
            }
        }
        if case .success((let body, _)) = outcome.result { tap.responseBytes(body) }
    }
}
#endif
