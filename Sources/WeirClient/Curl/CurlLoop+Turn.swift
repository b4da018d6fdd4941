#if !canImport(Darwin)
import CWeirCurl
import WeirModel

extension CurlLoop {
    /// What the loop's thread alone knows and does, turn by turn: takes commands, lets libcurl work, completes what is done.
    ///
    /// One thread and no callback out of a change: accesses cannot overlap, so there is no run-time check for it.
    final class Turn {
        private let multi: Curl.Multi
        /// The time at which this turn began.
        @exclusivity(unchecked) private(set) var now = Moment.now
        @exclusivity(unchecked) var connections = ConnectionTable()

        /// The handle whose request libcurl is sending, or has sent since.
        @exclusivity(unchecked) var sending: EasyHandle?

        @exclusivity(unchecked) private var active: [Transfer] = []
        /// Transfers that nobody waits for any more and that libcurl will give back after their name lookup.
        @exclusivity(unchecked) private var abandoned: [ObjectIdentifier: Transfer] = [:]
        /// Transfers of which a reader got bytes in this turn and was not woken yet.
        @exclusivity(unchecked) private var fed: [Transfer] = []
        /// Transfers that are over and whose callers were not told yet.
        @exclusivity(unchecked) private var ended: [Transfer] = []
        /// No deadline lies before this.
        @exclusivity(unchecked) private var nextDeadline: Moment?
        @exclusivity(unchecked) private var recheck = Recheck()
        @exclusivity(unchecked) private var lateness = Lateness()
        private let runQueueDelay: RunQueueDelay

        init(_ multi: Curl.Multi) {
            self.multi = multi
            runQueueDelay = RunQueueDelay(now)
        }

        /// Whether nothing is under way.
        var isIdle: Bool { active.isEmpty }

        func begin() {
            now = .now
            if let delay = runQueueDelay.delay(now) { lateness.note(delay, at: now) }
        }

        func apply(_ command: Command, posted: Moment) {
            switch command {
            case .start(let transfer):
                lateness.note(now - posted, at: now)
                start(transfer)
            case .end(let transfer, let failure): end(transfer, failure)
            case .resumeReceiving(let transfer):
                guard transfer.slot != nil, transfer.isReceivePaused else { return }
                transfer.isReceivePaused = false
                resume(transfer)
            case .resumeSending(let transfer):
                guard transfer.slot != nil, transfer.isSendPaused else { return }
                transfer.isSendPaused = false
                resume(transfer)
            }
        }

        func endAll(_ failure: TransferFailure) {
            while let transfer = active.last { end(transfer, failure) }
        }

        /// Lets libcurl do what can be done without waiting, and completes what is done or too late.
        ///
        /// - Returns: How many transfers libcurl was done with.
        func perform() -> Int {
            multi.perform()
            if sending != nil { requestWasSent(.now) }
            wakeReaders()
            var count = 0
            while let (handle, result) = multi.nextDone() {
                guard let transfer = handle.transfer else { continue }
                if transfer.isAbandoned {
                    forget(transfer)
                } else {
                    handle.result = result
                    finish(transfer)
                    count += 1
                }
            }
            if let nextDeadline, nextDeadline <= now { sweep() }
            complete()
            return count
        }

        /// Tells the callers of all that ended in a turn, one right after the other.
        ///
        /// Told as they end, the first one's thread wakes while the second ends, and takes a processor from it: a twelfth of the time
        /// of 32 requests in flight.
        private func complete() {
            for transfer in ended { transfer.complete() }
            ended.removeAll(keepingCapacity: true)
        }

        /// Notes that libcurl turned to a request.
        func noteBegin() { recheck.note() }

        /// Notes that a transfer's reader got bytes.
        func noteFed(_ transfer: Transfer) {
            if fed.last !== transfer { fed.append(transfer) }
        }

        /// Wakes the readers that got bytes, once for all of a turn; a transfer of which much is not read yet pauses.
        ///
        /// If libcurl went on, it would keep a copy of what has no room.
        private func wakeReaders() {
            guard !fed.isEmpty else { return }
            for transfer in fed {
                guard case .pipe(let pipe) = transfer.handle.sink, pipe.wakeReader(), !transfer.isReceivePaused
                else { continue }
                transfer.isReceivePaused = true
                transfer.handle.easy.pause(receiving: true, sending: transfer.isSendPaused)
            }
            fed.removeAll(keepingCapacity: true)
        }

        /// Libcurl has turned away from the request that it began last.
        func requestWasSent(_ now: Moment) {
            guard let handle = sending else { return }
            sending = nil
            if handle.marks.requestEnd == nil { handle.marks.requestEnd = now }
        }

        /// Waits for something to do.
        func sleep(_ milliseconds: Int32) {
            lateness.note(.now - now, at: now)
            multi.poll(milliseconds: milliseconds)
        }

        /// How long there is nothing to do if nothing happens.
        func milliseconds() -> Int32 {
            guard let nextDeadline else { return 60_000 }
            // Rounded up, so that the time has come when the wait is over.
            let milliseconds = Int32(max(0, min(60_000, (nextDeadline - now) / 1_000_000 + 1)))
            return isIdle ? milliseconds : recheck.limit(milliseconds)
        }

        /// Takes away what libcurl still holds; may wait for name lookups.
        func close() {
            while let transfer = abandoned.values.first { forget(transfer) }
        }

        private func forget(_ transfer: Transfer) {
            multi.remove(transfer.handle.easy)
            transfer.handle.transfer = nil
            abandoned[ObjectIdentifier(transfer)] = nil
        }

        private func start(_ transfer: Transfer) {
            let handle = transfer.handle
            handle.accept()
            if let failure = transfer.endsEarly {
                handle.failure = failure
                handle.marks.end = now
                transfer.complete()
                return
            }
            handle.transfer = transfer
            handle.turn = self
            transfer.slot = active.count
            active.append(transfer)
            recheck.note()
            guard multi.add(handle.easy) else {
                handle.result = CURLE_FAILED_INIT
                finish(transfer)
                return
            }
            let deadline = min(transfer.limits.resourceDeadline, now + transfer.limits.silence)
            nextDeadline = min(nextDeadline ?? deadline, deadline)
        }

        private func end(_ transfer: Transfer, _ failure: TransferFailure) {
            guard !transfer.isFinished else { return }
            guard transfer.slot != nil else {
                transfer.endsEarly = failure
                return
            }
            let handle = transfer.handle
            handle.failure = failure
            let marks = handle.marks
            if marks.domainLookupStart != nil, marks.connectStart == nil, marks.requestStart == nil {
                // Taking it away would wait for the name lookup, and everything else with it.
                transfer.isAbandoned = true
                abandoned[ObjectIdentifier(transfer)] = transfer
            }
            finish(transfer)
        }

        private func resume(_ transfer: Transfer) {
            transfer.lastActivity = now
            nextDeadline = min(nextDeadline ?? transfer.deadline.0, transfer.deadline.0)
            transfer.handle.easy.pause(receiving: transfer.isReceivePaused, sending: transfer.isSendPaused)
        }

        private func finish(_ transfer: Transfer) {
            if let slot = transfer.slot, slot < active.count {
                active[slot] = active[active.count - 1]
                active[slot].slot = slot
                active.removeLast()
            }
            transfer.slot = nil
            recheck.note()
            // From its completion on it is the caller's, whom that wakes.
            if !fed.isEmpty { fed.removeAll { $0 === transfer } }
            let handle = transfer.handle
            let end = Moment.now
            handle.marks.end = end
            // libcurl takes a connection that ends inside a head for the end of an answer without body.
            if handle.result == CURLE_OK, handle.failure == nil, handle.marks.responseStart != nil,
                handle.marks.lastByte == nil
            {
                handle.failure = .headCut
            }
            lateness.note(end - now, at: now)
            transfer.schedulingDelay = lateness.worst(since: handle.marks.fetchStart)
            if !transfer.isAbandoned {
                if transfer.isReceivePaused { dropHeldBack(transfer) }
                multi.remove(handle.easy)
                handle.transfer = nil
                handle.turn = nil
            }
            ended.append(transfer)
        }

        /// Makes libcurl let go of the bytes that it holds back for a transfer that pauses.
        ///
        /// Where others use the connection, too, libcurl before 8.1 leaves them in the handle: they would come up in the next response
        /// for which the handle is used and, if it never pauses, stay in memory for ever.
        private func dropHeldBack(_ transfer: Transfer) {
            let handle = transfer.handle
            transfer.isReceivePaused = false
            // It takes nothing any more: what libcurl offers now is refused, and gone.
            handle.transfer = nil
            if !handle.easy.pause(receiving: false, sending: transfer.isSendPaused) { handle.isSpent = true }
        }

        /// Ends what is over its time, and finds the next deadline.
        private func sweep() {
            var next: Moment?
            var late: [(Transfer, TransferFailure)] = []
            for transfer in active {
                let (deadline, failure) = transfer.deadline
                if deadline <= now {
                    late.append((transfer, failure))
                    continue
                }
                // One that waits in line has no such deadline yet, and may get one at any time.
                let soonest = min(deadline, now + transfer.limits.silence)
                next = min(next ?? soonest, soonest)
            }
            nextDeadline = next
            for (transfer, failure) in late { end(transfer, failure) }
        }
    }
}
#endif
