#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import WeirModel

/// A transfer that several identical tasks share.
enum Flight {
    typealias ID = UInt64
    typealias Member = UInt64

    /// What makes requests identical.
    struct Key: Hashable {
        private var method: String
        private var url: String
        private var fields: [String]
        private var options: CurlTask.Options

        /// Nil for a request that is not shared.
        init?(_ request: OutgoingRequest, _ options: CurlTask.Options, _ coalescing: HTTPSession.Coalescing) {
            guard case .identical(let given) = coalescing, CacheRequest.isSafe(request.method),
                case .none = request.body
            else { return nil }
            let ignored = Set(given.map { $0.lowercased() })
            method = request.method
            url = request.urlText
            fields = request.fields.compactMap { field in
                let name = field.name.lowercased()
                return ignored.contains(name) ? nil : name + ":" + field.value
            }
            .sorted()
            self.options = options
        }
    }

    /// What the task that has the transfer looked at as it passed; the others look at it when it is over.
    enum Passed: Sendable {
        case request(method: String, url: RequestURL, fields: [HeaderField])
        case head(status: Int, fields: [HeaderField])
    }

    /// What came of a transfer.
    struct Outcome: Sendable {
        var result: Result<(Data, HTTPURLResponse), any Error>
        var transactions: [Transaction]
        var redirectCount: Int
        var schedulingDelay: Int64?
        var end: Moment?
        var isFromElsewhere: Bool
        var passed: [Passed]
    }
}

extension Flight {
    /// Which tasks share which transfers: no lock, no wait.
    struct Board {
        enum Joined: Equatable {
            /// The member is the first: it begins the transfer.
            case begins(ID)
            case joins(ID)
        }

        enum Left: Equatable {
            /// Others go on.
            case goes
            /// The member was the last: it ends the transfer, and gets what came of it.
            case ends(ID)
            /// It is not there (any more).
            case wasNotThere
        }

        private struct State {
            var key: Key
            /// In the order of joining.
            var members: [Member]
        }

        private var ids: [Key: ID] = [:]
        private var states: [ID: State] = [:]
        private var lastID: ID = 0

        var isEmpty: Bool { ids.isEmpty && states.isEmpty }

        func isUnderWay(_ id: ID) -> Bool { states[id] != nil }

        mutating func join(_ key: Key, _ member: Member) -> Joined {
            if let id = ids[key], states[id] != nil {
                states[id]?.members.append(member)
                return .joins(id)
            }
            lastID += 1
            ids[key] = lastID
            states[lastID] = State(key: key, members: [member])
            return .begins(lastID)
        }

        mutating func leave(_ member: Member) -> Left {
            guard let id = states.first(where: { $0.value.members.contains(member) })?.key, var state = states[id]
            else {
                return .wasNotThere
            }
            if state.members.count == 1 {
                // Nobody joins a transfer that is about to end.
                if ids[state.key] == id { ids[state.key] = nil }
                return .ends(id)
            }
            state.members.removeAll { $0 == member }
            states[id] = state
            return .goes
        }

        /// The transfer is over.
        ///
        /// - Returns: The members that are still there, the one first that has the transfer in its record.
        mutating func complete(_ id: ID) -> [Member] {
            guard let state = states.removeValue(forKey: id) else { return [] }
            if ids[state.key] == id { ids[state.key] = nil }
            return state.members
        }
    }
}
#endif
