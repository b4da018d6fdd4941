/// What a day's payload of MetricKit says about the network: the JSON of `MXMetricPayload`.
package struct TransferPayload: Sendable, Hashable {
    /// Bytes one way over one kind of network, nil where the payload does not tell.
    package struct Transfer: Sendable, Hashable {
        package var down: Int64?
        package var up: Int64?

        package init(down: Int64? = nil, up: Int64? = nil) {
            self.down = down
            self.up = up
        }
    }

    /// The day on which it begins, as it is written there: `2026-11-29`.
    package var day: String
    /// The app's version.
    package var version: String?
    /// Its build.
    package var build: String?
    /// The system, the device, and the region that the device is set to.
    package var system: String?
    package var device: String?
    package var region: String?
    package var cellular = Transfer()
    package var wifi = Transfer()

    /// Whether it has anything about transfers: what comes from other parts of the system comes in payloads of its own.
    package var hasTransfers: Bool {
        [cellular.down, cellular.up, wifi.down, wifi.up].contains { $0 != nil }
    }

    /// Why a payload cannot be read.
    package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        package var line: Int
        package var column: Int
        package var reason: String

        package var description: String { "line \(line), column \(column): \(reason)" }
    }

    /// Whether bytes look like the beginning of payloads.
    ///
    /// The names come in any order, and much may come before those that count.
    package static func isBegun(_ bytes: some Sequence<UInt8>) -> Bool {
        let text = Array(withoutMark(Array(bytes)))
        guard let first = text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return false }
        let marks = [
            "timeStampBegin", "timeStampEnd", "networkTransferMetrics", "signpostMetrics", "cellularConditionMetrics",
            "applicationTimeMetrics", "applicationLaunchMetrics",
        ]
        return marks.contains { ByteSearch.contains(text, Array("\"\($0)\"".utf8)) }
            && !["log", "transactions"].contains { ByteSearch.contains(text, Array("\"\($0)\"".utf8)) }
    }

    /// What a file holds.
    package struct File: Sendable, Hashable {
        package var payloads: [TransferPayload] = []
        /// Those that cannot be read, by their number in the file, from 1.
        package var skipped: [Skipped] = []
    }

    /// A payload that cannot be read.
    package struct Skipped: Sendable, Hashable, CustomStringConvertible {
        package var number: Int
        package var problem: Problem

        /// What and why, as the end of a sentence.
        package var description: String {
            let text = "payload \(number), \(problem)"
            return text.hasSuffix(".") ? String(text.dropLast()) : text
        }
    }

    /// Reads a file: one payload, an array of them, or one a line; a byte order mark may stand before.
    ///
    /// Of several payloads those that cannot be read are listed.
    ///
    /// - Throws: ``Problem`` when none can be read.
    package static func file(of bytes: [UInt8]) throws(Problem) -> File {
        let marked = bytes.count
        let bytes = Array(withoutMark(bytes))
        // What stands before the first line moves its columns.
        let shift = marked - bytes.count
        var file = File()
        var number = 0
        func take(_ value: JSONValue, _ reader: Reader) {
            number += 1
            do throws(Problem) {
                file.payloads.append(try reader.payload(value))
            } catch {
                file.skipped.append(.init(number: number, problem: error))
            }
        }
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: bytes)
        } catch {
            guard let lines = lines(of: bytes) else {
                throw Problem(
                    line: error.line, column: error.column + (error.line == 1 ? shift : 0),
                    reason: "This is not JSON: \(error.detail).")
            }
            for line in lines {
                do {
                    let document = try JSONDocument(parsing: Array(line.bytes))
                    take(document.root, Reader(bytes: Array(line.bytes), line: line.number))
                } catch {
                    number += 1
                    let problem = Problem(
                        line: line.number, column: error.column, reason: "This is not JSON: \(error.detail).")
                    file.skipped.append(.init(number: number, problem: problem))
                }
            }
            return try file.checked()
        }
        let reader = Reader(bytes: bytes)
        if document.root.isArray {
            for element in document.root.elements { take(element, reader) }
        } else {
            take(document.root, reader)
        }
        return try file.checked()
    }

    /// The lines that are not empty, where there are several and each begins as a payload does.
    private static func lines(of bytes: [UInt8]) -> [(number: Int, bytes: ArraySlice<UInt8>)]? {
        let all = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
            .map { (number: $0.offset + 1, bytes: $0.element) }
            .filter { line in line.bytes.contains { $0 > 0x20 } }
        let areObjects = all.allSatisfy { line in line.bytes.first { $0 > 0x20 } == UInt8(ascii: "{") }
        return all.count > 1 && areObjects ? all : nil
    }

    /// What follows a byte order mark.
    private static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    }

    /// Reads values and knows where they are.
    private struct Reader {
        let bytes: [UInt8]
        /// The number of their first line in the file.
        var line = 1

        func problem(_ value: JSONValue, _ reason: String) -> Problem {
            let place = bytes.withUnsafeBytes { JSONError.lineAndColumn(of: value.offset, in: $0) }
            return Problem(line: place.line + line - 1, column: place.column, reason: reason)
        }

        func payload(_ value: JSONValue) throws(Problem) -> TransferPayload {
            guard value.isObject else { throw problem(value, "A payload is an object, and this is \(value.kindName).") }
            guard let begin = value["timeStampBegin"] else {
                throw problem(value, "The payload has no \"timeStampBegin\".")
            }
            var payload = TransferPayload(day: try day(begin))
            payload.version = try text(value["appVersion"], "appVersion")
            if let data = value["metaData"] {
                guard data.isObject else { throw problem(data, "\"metaData\" must be an object.") }
                payload.build = try text(data["appBuildVersion"], "appBuildVersion")
                payload.system = try text(data["osVersion"], "osVersion")
                payload.device = try text(data["deviceType"], "deviceType")
                payload.region = try text(data["regionFormat"], "regionFormat")
            }
            guard let transfers = value["networkTransferMetrics"] else { return payload }
            guard transfers.isObject else { throw problem(transfers, "\"networkTransferMetrics\" must be an object.") }
            let values = [
                transfers["cumulativeCellularDownload"], transfers["cumulativeCellularUpload"],
                transfers["cumulativeWifiDownload"], transfers["cumulativeWifiUpload"],
            ]
            var found: [ByteQuantity?] = []
            for value in values { found.append(try value.map(quantity)) }
            // All numbers of a payload are written alike: one that tells how tells it of the others.
            let sign = found.lazy.compactMap { $0?.decimalSign }.first ?? Self.decimalSign(of: payload.region)
            var counts: [Int64?] = []
            for (value, quantity) in zip(values, found) {
                guard let value, let quantity else {
                    counts.append(nil)
                    continue
                }
                guard let count = quantity.bytes(sign) else {
                    throw problem(value, "\"\(value.string ?? "")\" is no amount of data that can be read.")
                }
                counts.append(count)
            }
            payload.cellular = Transfer(down: counts[0], up: counts[1])
            payload.wifi = Transfer(down: counts[2], up: counts[3])
            return payload
        }

        private func text(_ value: JSONValue?, _ name: String) throws(Problem) -> String? {
            guard let value, !value.isNull else { return nil }
            guard let text = value.string else {
                throw problem(value, "\"\(name)\" must be a string, and this is \(value.kindName).")
            }
            return text
        }

        private func quantity(_ value: JSONValue) throws(Problem) -> ByteQuantity {
            guard let text = value.string else {
                throw problem(
                    value, "An amount of data is a string such as \"80,000 kB\", and this is \(value.kindName).")
            }
            guard let quantity = ByteQuantity(text.utf8) else {
                throw problem(value, "\"\(text)\" is no amount of data such as \"80,000 kB\".")
            }
            return quantity
        }

        /// The first ten characters of `2026-11-29 07:00:00 +0000`.
        private func day(_ value: JSONValue) throws(Problem) -> String {
            let text = value.string ?? ""
            let bytes = Array(text.utf8.prefix(10))
            let isDate =
                bytes.count == 10
                && bytes.indices.allSatisfy { $0 == 4 || $0 == 7 ? bytes[$0] == 0x2D : 0x30...0x39 ~= bytes[$0] }
            func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
            guard isDate, 1...12 ~= number(5..<7), 1...31 ~= number(8..<10) else {
                throw problem(value, "\"timeStampBegin\" must be a time such as \"2026-11-29 07:00:00 +0000\".")
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// How numbers are written in a region, where no number tells; the sample of Apple's documents has commas that group.
        private static func decimalSign(of region: String?) -> ByteQuantity.DecimalSign {
            let commas: Set<String> = [
                "AR", "AT", "BE", "BG", "BR", "CL", "CO", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU",
                "ID", "IS",
                "IT", "LT", "LU", "LV", "NL", "NO", "PL", "PT", "RO", "RS", "RU", "SE", "SI", "SK", "TR", "UA", "UY",
                "VE", "VN",
            ]
            return region.map(commas.contains) == true ? .comma : .point
        }
    }
}

extension TransferPayload.File {
    /// The file, if anything of it could be read or there is nothing in it.
    fileprivate func checked() throws(TransferPayload.Problem) -> Self {
        if payloads.isEmpty, let first = skipped.first { throw first.problem }
        return self
    }
}

/// Looks for bytes in bytes.
private enum ByteSearch {
    static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first, text.count >= part.count else { return false }
        return text.indices.dropLast(part.count - 1).contains { text[$0] == first && text[$0...].starts(with: part) }
    }
}
