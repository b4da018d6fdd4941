import Foundation
import WeirModel

/// Scans lines of a record file for what distributions need, without making values of the rest.
///
/// It answers only for lines that are as the session's own writer makes them: one with an escape in a text that is needed, a member of
/// another type or a date of another form is left to ``RecordReader``, which also knows what to say about it. Texts and numbers that are
/// not needed are passed over.
package struct RecordScanner {
    var line = UnsafeRawBufferPointer(start: nil, count: 0)
    var position = 0
    /// The minute of the date that was read last, as text, and its seconds since 2001.
    var minute = (UInt64(0), UInt64(0))
    var minuteSeconds: Int64 = 0

    package init() {}

    /// Reads a line without its end; nil where it is not sure.
    package mutating func outline(of line: UnsafeRawBufferPointer) -> RecordOutline? {
        self.line = line
        position = 0
        var outline = RecordOutline()
        var has = (id: false, transactions: false)
        skipBlanks()
        guard take(UInt8(ascii: "{")), !take(UInt8(ascii: "}")) else { return nil }
        repeat {
            guard let member = key() else { return nil }
            switch member {
            case .id:
                guard position < line.count, line[position] &- 0x30 < 10, skipValue() else { return nil }
                has.id = true
            case .start:
                guard let date = date() else { return nil }
                outline.start = date
            case .end:
                guard let date = date() else { return nil }
                outline.end = date
            case .redirectCount:
                guard let count = integer() else { return nil }
                outline.redirectCount = count
            case .failure:
                guard readFailure(&outline) else { return nil }
            case .transactions:
                guard readTransactions(&outline) else { return nil }
                has.transactions = true
            default:
                guard skipValue() else { return nil }
            }
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { return nil }
        skipBlanks()
        guard position == line.count, has.id, has.transactions, !outline.start.isNaN, !outline.end.isNaN else {
            return nil
        }
        outline.end = max(outline.start, outline.end)
        return outline
    }

    private mutating func readFailure(_ outline: inout RecordOutline) -> Bool {
        var has = (domain: false, code: false, message: false)
        guard take(UInt8(ascii: "{")) else { return false }
        repeat {
            guard let member = key() else { return false }
            switch member {
            case .domain:
                guard let text = text() else { return false }
                outline.failureDomain = text
                has.domain = true
            case .message:
                // It may hold escapes, which do not matter for what is looked for in it.
                let start = position + 1
                guard position < line.count, line[position] == UInt8(ascii: "\""), skipValue() else { return false }
                outline.failureMessage = start..<(position - 1)
                has.message = true
            case .code:
                guard let code = integer() else { return false }
                outline.failureCode = code
                has.code = true
            default:
                guard skipValue() else { return false }
            }
        } while take(UInt8(ascii: ","))
        outline.hasFailure = has.domain && has.code && has.message
        return outline.hasFailure && take(UInt8(ascii: "}"))
    }

    private mutating func readTransactions(_ outline: inout RecordOutline) -> Bool {
        guard take(UInt8(ascii: "[")) else { return false }
        if take(UInt8(ascii: "]")) { return true }
        repeat {
            outline.last = RecordOutline.Exchange()
            guard readTransaction(&outline.last) else { return false }
            if outline.count == 0 { outline.first = outline.last }
            outline.count += 1
            switch outline.last.fetchType {
            case .localCache:
                outline.lookupStatus = outline.last.status
                outline.lookupDecoded = outline.last.decoded
                continue
            case .coalesced: continue
            case .unknown, .networkLoad, .serverPush: break
            }
            if outline.last.status == 304 {
                outline.confirmation = outline.last
                outline.hasConfirmation = true
            }
            if outline.last.isReused == 1 { outline.newConnections &+= 1 }
            if outline.last.isReused == 2 { outline.reusedConnections &+= 1 }
            if outline.last.received > 0 { outline.received &+= UInt64(outline.last.received) }
            if outline.last.sent > 0 { outline.sent &+= UInt64(outline.last.sent) }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]"))
    }

    private mutating func readTransaction(_ exchange: inout RecordOutline.Exchange) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        var hasRequest = false
        repeat {
            guard let member = key() else { return false }
            if let mark = member.mark {
                guard let date = date() else { return false }
                exchange.marks[Int(mark.rawValue)] = date
                continue
            }
            let isRead =
                switch member {
                case .request:
                    readRequest(&exchange, &hasRequest)
                case .response: readResponse(&exchange)
                case .resourceFetchType: readFetchType(&exchange)
                case .networkProtocolName: read(&exchange.protocolName)
                case .isReusedConnection: read(&exchange.isReused)
                case .isCellular: read(&exchange.isCellular)
                case .isExpensive: read(&exchange.isExpensive)
                case .isConstrained: read(&exchange.isConstrained)
                case .received: read(&exchange.received)
                case .decoded: read(&exchange.decoded)
                case .sent: read(&exchange.sent)
                default: skipValue()
                }
            guard isRead else { return false }
        } while take(UInt8(ascii: ","))
        return hasRequest && take(UInt8(ascii: "}"))
    }

    private mutating func readRequest(_ exchange: inout RecordOutline.Exchange, _ has: inout Bool) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        var hasMethod = false
        var hasURL = false
        repeat {
            guard let member = key() else { return false }
            switch member {
            case .method:
                guard read(&exchange.method) else { return false }
                hasMethod = true
            case .url:
                guard read(&exchange.url) else { return false }
                hasURL = true
            default:
                guard skipValue() else { return false }
            }
        } while take(UInt8(ascii: ","))
        has = hasMethod && hasURL
        return has && take(UInt8(ascii: "}"))
    }

    private mutating func readResponse(_ exchange: inout RecordOutline.Exchange) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        var hasStatus = false
        repeat {
            guard let member = key() else { return false }
            if member == .statusCode {
                guard let status = integer() else { return false }
                exchange.status = Int(clamping: status)
                hasStatus = true
            } else if !skipValue() {
                return false
            }
        } while take(UInt8(ascii: ","))
        return hasStatus && take(UInt8(ascii: "}"))
    }

    private mutating func readFetchType(_ exchange: inout RecordOutline.Exchange) -> Bool {
        guard let text = text() else { return false }
        if isText(text, "networkLoad") {
            exchange.fetchType = .networkLoad
        } else if isText(text, "localCache") {
            exchange.fetchType = .localCache
        } else if isText(text, "serverPush") {
            exchange.fetchType = .serverPush
        } else if isText(text, "coalesced") {
            exchange.fetchType = .coalesced
        } else {
            return isText(text, "unknown")
        }
        return true
    }

    private mutating func read(_ slice: inout Range<Int>) -> Bool {
        guard let text = text() else { return false }
        slice = text
        return true
    }

    private mutating func read(_ flag: inout UInt8) -> Bool {
        if take("true") {
            flag = 2
        } else if take("false") {
            flag = 1
        } else {
            return false
        }
        return true
    }

    private mutating func read(_ count: inout Int64) -> Bool {
        guard let number = integer() else { return false }
        // A negative count is what some writers put for unknown.
        count = max(-1, number)
        return true
    }
}
