/// A parsed JSON text: the bytes, and a flat list of the values in them.
///
/// Nothing is copied out of the text: a value is a kind and a byte range, and strings and numbers are decoded when they
/// are asked for, so a body of megabytes inside the text costs one scan. Complexity of parsing: O(bytes).
package final class JSONDocument: Sendable {
    /// The text.
    let bytes: [UInt8]
    /// The values, each before those inside it; in an object, keys and values alternate.
    let tape: JSONTape
    /// What was tolerated.
    package let oddities: JSONOddities
    /// Where the bytes are in the file.
    let origin: JSONOrigin
    /// What takes the memory when the document is done with.
    private let spares: JSONSpares?

    deinit { spares?.give(bytes, tape) }

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 text holding one value, white space around it allowed.
    ///   - depthLimit: How deeply arrays and objects may be nested.
    package init(parsing bytes: [UInt8], depthLimit: Int = 512) throws(JSONError) {
        let result: Result<(JSONTape, JSONOddities), JSONError> = bytes.withUnsafeBytes { buffer in
            var parser = JSONParser(bytes: buffer, depthLimit: depthLimit)
            do throws(JSONError) {
                try parser.parse()
                return .success((parser.tape, parser.oddities))
            } catch {
                return .failure(error)
            }
        }
        (tape, oddities) = try result.get()
        self.bytes = bytes
        origin = JSONOrigin()
        spares = nil
    }

    /// Makes a document of values that were parsed in a part of a text.
    ///
    /// - Parameter spares: What takes the memory when the document is done with.
    init(bytes: [UInt8], tape: JSONTape, origin: JSONOrigin, spares: JSONSpares) {
        self.bytes = bytes
        self.tape = tape
        self.origin = origin
        self.spares = spares
        oddities = JSONOddities()
    }

    /// Makes a document that says of its values where they are in a file.
    ///
    /// - Parameter document: The same without places; the tape of one whose memory is used again may not be shared.
    init(_ document: JSONDocument, origin: JSONOrigin) {
        assert(document.spares == nil, "two documents would have a tape that one of them gives away")
        bytes = document.bytes
        tape = document.tape
        oddities = document.oddities
        self.origin = origin
        spares = nil
    }

    /// The value that is the text.
    package var root: JSONValue { JSONValue(document: self, index: 0) }

    /// The place in the file of a byte of the text.
    func position(of offset: Int) -> TextPosition { origin.position(of: offset, in: bytes) }
}

/// A value's kind and place in the text.
struct JSONNode: Sendable {
    enum Kind: UInt8 {
        case object, array, string, number, `true`, `false`, null
    }

    // Sixteen bytes: a text has about one of these for each fifteen of its own.
    private var startOffset: UInt32
    private var endOffset: UInt32
    /// The place in the tape of what follows this value and all inside it.
    var next: UInt32
    let kind: Kind
    /// For strings: whether there is a backslash in it.
    let isEscaped: Bool

    /// The most bytes of a text.
    static let limit = Int(UInt32.max)

    /// Makes a node of a text of at most ``limit`` bytes.
    @inline(__always)
    init(start: Int, end: Int, next: UInt32, kind: Kind, isEscaped: Bool = false) {
        startOffset = UInt32(truncatingIfNeeded: start)
        endOffset = UInt32(truncatingIfNeeded: end)
        self.next = next
        self.kind = kind
        self.isEscaped = isEscaped
    }

    /// The first byte: of a string, the one after its quote.
    var start: Int { Int(startOffset) }

    /// The byte after the last; of a string, its closing quote.
    var end: Int {
        get { Int(endOffset) }
        set { endOffset = UInt32(truncatingIfNeeded: newValue) }
    }

    /// Whether the last byte says that the value ends there.
    var isDelimited: Bool { kind == .object || kind == .array || kind == .string }
}
