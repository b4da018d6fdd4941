public import Foundation

extension MetricsFile {
    /// Why a file of metrics cannot be read or written.
    public struct Problem: Error, Sendable, Hashable {
        /// What is wrong.
        public enum Reason: Sendable, Hashable {
            /// There is no such file.
            case missing
            /// The file cannot be read.
            case unreadable(String)
            /// The system refused to write, with this `errno`.
            case system(code: Int32)
            /// The file ends in the middle: so many bytes should follow its first line (nil where that is torn too), and so many do.
            case torn(expected: Int?, found: Int)
            /// The file has its length, but not what was written.
            case damaged
            /// The file is whole, but holds no snapshot.
            case notMetrics(String)
        }

        /// The path of the file.
        public var file: String
        /// What is wrong.
        public var reason: Reason

        /// Makes a problem.
        public init(file: String, reason: Reason) {
            self.file = file
            self.reason = reason
        }

        /// Where and why decoding failed.
        static func text(of error: DecodingError) -> String {
            let context: DecodingError.Context
            switch error {
            case .dataCorrupted(let found), .keyNotFound(_, let found), .typeMismatch(_, let found),
                .valueNotFound(_, let found):
                context = found
            @unknown default: return "\(error)"
            }
            let place = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
            return place.isEmpty ? context.debugDescription : "at $\(place): \(context.debugDescription)"
        }
    }
}

extension MetricsFile.Problem: CustomStringConvertible, LocalizedError {
    /// The problem as a sentence.
    public var description: String {
        switch reason {
        case .missing: "\(file): There is no such file."
        case .unreadable(let detail): "\(file): It cannot be read: \(detail)"
        case .system(let code): "\(file): It cannot be written: \(String(cString: strerror(code)))."
        case .torn(let expected?, let found):
            "\(file): It ends in the middle: \(expected) bytes should follow its first line, and \(found) do. It was skipped."
        case .torn(nil, let found): "\(file): It ends in its first line, after \(found) bytes. It was skipped."
        case .damaged: "\(file): Its checksum is wrong: it was damaged after it had been written. It was skipped."
        case .notMetrics(let detail): "\(file): It holds no snapshot of metrics: \(detail)"
        }
    }

    /// The problem as a sentence.
    public var errorDescription: String? { description }
}
