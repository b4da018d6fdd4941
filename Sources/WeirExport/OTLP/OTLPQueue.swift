import Foundation

/// Requests that wait to be sent, each in a file of its own, in the order in which they were made; bounded.
///
/// A file is written beside its place and moved there, so that a crash leaves a whole request or none. One owner at a time:
/// two processes need a folder each.
struct OTLPQueue {
    /// A request that waits.
    private struct Item {
        var number: UInt64
        var bytes: Int
    }

    private static let ending = ".otlp.json"

    private let folder: URL
    private let byteLimit: Int
    private let countLimit: Int
    private var items: [Item] = []
    private var bytes = 0

    /// How many requests wait.
    var count: Int { items.count }

    /// Opens a queue, with what was left in the folder.
    ///
    /// - Parameters:
    ///   - folder: Made where it is not there; nothing else should be in it.
    ///   - byteLimit: The most bytes of all requests.
    ///   - countLimit: The most requests.
    init(folder: URL, byteLimit: Int, countLimit: Int = 1000) throws {
        self.folder = folder
        self.byteLimit = max(1, byteLimit)
        self.countLimit = max(1, countLimit)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            if name.hasSuffix(".partial") { try? FileManager.default.removeItem(at: folder.appending(path: name)) }
            guard name.hasSuffix(Self.ending), let number = Self.number(name) else { continue }
            let values = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
            let size = (values?[.size] as? NSNumber)?.intValue ?? 0
            items.append(Item(number: number, bytes: size))
            bytes += size
        }
        items.sort { $0.number < $1.number }
    }

    /// Adds a request at the end.
    ///
    /// - Returns: How many of the oldest were removed to make room, and their bytes; the new one too where it has no room at all.
    mutating func add(_ request: [UInt8]) throws -> (removed: Int, bytes: Int) {
        guard request.count <= byteLimit else { return (0, request.count) }
        var removed = (count: 0, bytes: 0)
        while let first = items.first, bytes + request.count > byteLimit || items.count >= countLimit {
            remove(count: 1)
            removed.count += 1
            removed.bytes += first.bytes
        }
        let number = (items.last?.number ?? 0) &+ 1
        let partial = folder.appending(path: "\(number).partial")
        do {
            try Data(request).write(to: partial)
            try FileManager.default.moveItem(at: partial, to: place(of: number))
        } catch {
            try? FileManager.default.removeItem(at: partial)
            throw error
        }
        items.append(Item(number: number, bytes: request.count))
        bytes += request.count
        return (removed.count, removed.bytes)
    }

    /// The oldest requests: what cannot be read is empty.
    func first(_ count: Int) -> [[UInt8]] {
        items.prefix(count).map { item in
            (try? Data(contentsOf: place(of: item.number))).map { [UInt8]($0) } ?? []
        }
    }

    /// Removes the oldest.
    mutating func remove(count: Int) {
        for item in items.prefix(count) {
            try? FileManager.default.removeItem(at: place(of: item.number))
            bytes -= item.bytes
        }
        items.removeFirst(min(count, items.count))
    }

    private func place(of number: UInt64) -> URL {
        let digits = String(number)
        return folder.appending(path: String(repeating: "0", count: max(0, 20 - digits.count)) + digits + Self.ending)
    }

    /// The number in a file's name: digits alone.
    private static func number(_ name: String) -> UInt64? {
        let digits = name.utf8.dropLast(ending.utf8.count)
        guard !digits.isEmpty, digits.count <= 20, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}
